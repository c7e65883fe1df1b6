//! Which pane a caller's variables name.

use std::collections::BTreeMap;

use crate::backend::Job;
use crate::tmux::{PaneId, SessionId};

/// The pane that `$TMUX` and `$TMUX_PANE` name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Caller {
    /// The path of the server's socket.
    pub socket: String,
    /// The server's process.
    pub server: u32,
    /// The session in which the pane was made.
    pub session: SessionId,
    /// The pane.
    pub pane: Option<PaneId>,
}

impl Caller {
    /// Reads the variables. `None`: they are not set, or not such as tmux sets them.
    #[must_use]
    pub fn read(env: &BTreeMap<String, String>) -> Option<Self> {
        let mut parts = env.get("TMUX")?.rsplitn(3, ',');
        let session = format!("${}", parts.next()?).parse().ok()?;
        let server = parts.next()?.parse().ok()?;
        let socket = parts.next().filter(|path| path.starts_with('/'))?;
        let pane = match env.get("TMUX_PANE").filter(|pane| !pane.is_empty()) {
            // Lookalikes of tmux set other things here.
            Some(pane) => Some(pane.parse().ok()?),
            None => None,
        };
        Some(Self {
            socket: socket.to_owned(),
            server,
            session,
            pane,
        })
    }

    /// The pane of a job's caller.
    #[must_use]
    pub fn of(job: &Job) -> Option<Self> {
        Self::read(&job.caller)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(tmux: &str, pane: Option<&str>) -> Option<Caller> {
        let mut env = BTreeMap::from([("TMUX".to_owned(), tmux.to_owned())]);
        env.extend(pane.map(|pane| ("TMUX_PANE".to_owned(), pane.to_owned())));
        Caller::read(&env)
    }

    #[test]
    fn only_what_tmux_itself_sets_names_a_pane() {
        let caller = read("/tmp/a,b/default,812,3", Some("%7")).unwrap();
        assert_eq!(caller.socket, "/tmp/a,b/default");
        assert_eq!(
            (caller.server, caller.session, caller.pane),
            (812, SessionId(3), Some(PaneId(7)))
        );
        assert_eq!(read("/tmp/s,1,0", None).unwrap().pane, None);
        for (tmux, pane) in [
            ("", None),
            ("/tmp/s", None),
            ("/tmp/s,1", None),
            ("tmp/s,1,0", None),
            ("/tmp/s,x,0", None),
            ("/tmp/cmux/x,1,0", Some("%F3A5-")),
        ] {
            assert_eq!(read(tmux, pane), None, "{tmux:?}");
        }
        assert_eq!(Caller::read(&BTreeMap::new()), None);
    }
}
