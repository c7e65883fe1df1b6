//! The pool: sessions that run and sessions on disk, as what can be taken up.

use std::sync::Arc;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;

use super::known::{Known, Live};
use crate::proto::sessions::Session;
use crate::proto::{Failure, HostAlias, Kind, SurfaceRef};
use crate::service::conversations::Pool;
use crate::service::open::Links;
use crate::service::sessions::Sessions;

/// Lists the sessions of a machine: those that run, with their ids where these are known, and those on disk.
pub trait Listing: Send + Sync {
    /// Those of a host, or of this machine. Of a host's disk those that are called so.
    fn sessions<'a>(
        &'a self,
        on: Option<&'a HostAlias>,
        ids: &'a [&'a str],
    ) -> BoxFuture<'a, Result<Vec<Session>, Failure>>;
}

/// Lists what this daemon sees.
#[derive(Clone)]
pub struct Seen {
    /// Those that run.
    pub sessions: Sessions,
    /// Those on disk.
    pub pool: Pool,
    /// The ways to hosts.
    pub links: Arc<dyn Links>,
}

impl Listing for Seen {
    fn sessions<'a>(
        &'a self,
        on: Option<&'a HostAlias>,
        ids: &'a [&'a str],
    ) -> BoxFuture<'a, Result<Vec<Session>, Failure>> {
        async move {
            let Some(host) = on else {
                return Ok(self.sessions.told(&self.pool, true).await.sessions);
            };
            let link = self.links.to(Some(host)).await?;
            // A host that cannot tell what runs is no reason not to read its disk.
            let live = match self.sessions.on(host, link.as_ref(), false).await {
                Ok(live) => live.sessions,
                Err(failure) if failure.kind() == Kind::NotSupported => Vec::new(),
                Err(failure) => return Err(failure),
            };
            let kept = self.sessions.there(link.as_ref(), ids).await?;
            Ok(live.into_iter().chain(kept).collect())
        }
        .boxed()
    }
}

/// What of these can be taken up, or runs: those whose conversation is not known are left out.
pub(super) fn known(sessions: Vec<Session>, on: Option<&HostAlias>) -> Vec<Known> {
    let mut pool: Vec<Known> = Vec::with_capacity(sessions.len());
    for session in sessions {
        let Some(id) = session.session_id.clone().filter(|id| !id.is_empty()) else {
            continue;
        };
        let one = Known {
            provider: session.kind.clone(),
            session: id,
            cwd: session.cwd.clone(),
            version: session.version.clone(),
            title: session.title.clone(),
            live: session.pid.is_some().then(|| live(&session)),
            agent: None,
            archived: false,
            machine: session
                .machine
                .or_else(|| on.map(|host| host.as_str().to_owned())),
        };
        let same =
            |other: &&mut Known| other.provider == one.provider && other.session == one.session;
        match pool.iter_mut().find(same) {
            // What runs and what is on disk are one session; the disk knows where it was begun.
            Some(other) if one.live.is_none() => {
                let live = other.live.take();
                *other = Known { live, ..one };
            }
            Some(other) => other.live = other.live.take().or(one.live),
            None => pool.push(one),
        }
    }
    pool
}

fn live(session: &Session) -> Live {
    Live {
        pid: session.pid,
        seen_in: session.viewing_app.clone().or_else(|| session.host.clone()),
        surface: session.surface.clone(),
        attach: match &session.surface {
            Some(SurfaceRef::Builtin(id)) => Some(format!("surfaced attach {id}")),
            _ => None,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_runs_and_what_is_on_disk_are_one() {
        let running = Session {
            kind: "claude".into(),
            session_id: Some("a".into()),
            pid: Some(7),
            cwd: Some("/now".into()),
            host: Some("ghostty".into()),
            ..Session::default()
        };
        let on_disk = Session {
            kind: "claude".into(),
            session_id: Some("a".into()),
            cwd: Some("/begun".into()),
            version: Some("2.1.187".into()),
            ..Session::default()
        };
        let unknown = Session {
            kind: "claude".into(),
            pid: Some(8),
            ..Session::default()
        };
        let other = Session {
            kind: "codex".into(),
            session_id: Some("a".into()),
            ..Session::default()
        };
        for sessions in [
            vec![running.clone(), on_disk.clone(), unknown, other.clone()],
            vec![on_disk, running, other],
        ] {
            let pool = known(sessions, None);
            assert_eq!(pool.len(), 2, "{pool:?}");
            assert_eq!(pool[0].cwd.as_deref(), Some("/begun"));
            assert_eq!(pool[0].live.as_ref().and_then(|live| live.pid), Some(7));
            assert_eq!(pool[1].live, None);
        }
    }
}
