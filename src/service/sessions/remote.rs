//! The live sessions of a host, from what its own `ps` and tmux tell.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::{Sessions, agents, session};
use crate::launch::step::Invocation;
use crate::os::process_table::{ProcessTable, Snapshot};
use crate::proto::sessions::{Session, SessionsResult};
use crate::proto::{Failure, HostAlias, Kind};
use crate::service::machine::Machine;
use crate::transport::Transport;

impl Sessions {
    /// The live sessions of a host, the most recently active first; with `files` those on its disk too, the newest of each
    /// program that keeps them in files. A warning names what is kept in databases.
    ///
    /// # Errors
    /// What a host can fail with; `not-supported` where its `ps` does not tell what is needed.
    pub async fn on(
        &self,
        host: &HostAlias,
        link: &dyn Transport,
        files: bool,
    ) -> Result<SessionsResult, Failure> {
        let answer = link
            .run(Invocation::new(["/bin/sh", "-c", Snapshot::QUESTION]))
            .await?;
        let Some(mut snapshot) = Snapshot::read(&answer.text()) else {
            return Err(Failure::new(
                Kind::NotSupported,
                format!(
                    "cannot list sessions on {host}: its ps does not tell of processes ({})",
                    answer.complaint()
                ),
            )
            .hint("install ps of procps there"));
        };
        let machine = Arc::new(Machine::of_host(snapshot.uid()));
        let providers = self.providers.borrow().clone();
        let mut table = ProcessTable::told(snapshot.clone());
        let seen = agents::find(&machine, &providers, &mut table);
        if !seen.is_empty() {
            let pids = seen.iter().map(|agent| agent.process.pid.to_string());
            let terminals: BTreeSet<String> = seen
                .iter()
                .filter_map(|agent| agent.process.tty.clone())
                .collect();
            let words = ["/bin/sh", "-c", Snapshot::DETAILS, "sh"].map(str::to_owned);
            let invocation = Invocation::new(words.into_iter().chain(pids).chain(terminals));
            snapshot.add(&link.run(invocation).await?.text());
        }
        let mut table = ProcessTable::told(snapshot.clone());
        let found = agents::find(&machine, &providers, &mut table);
        let names: Vec<Option<String>> = found
            .iter()
            .map(|agent| {
                agent
                    .provider
                    .conversation_in(&table.argv(agent.process.pid))
            })
            .collect();
        let viewers = Self::follow(&machine, link, table, &found).await;
        let mut sessions: Vec<_> = found
            .into_iter()
            .zip(names)
            .map(|(agent, id)| {
                let mut session =
                    session(agent, &viewers, Some(host), &|tty| snapshot.last_used(tty));
                session.session_id = id;
                session
            })
            .collect();
        super::sort(&mut sessions);
        let mut warnings = None;
        if files {
            let live = |one: &Session| {
                let same =
                    |other: &Session| other.kind == one.kind && other.session_id == one.session_id;
                sessions.iter().any(same)
            };
            let mut kept = self.there(link, &[]).await?;
            kept.retain(|session| !live(session));
            for session in &mut kept {
                session.machine = Some(host.as_str().to_owned());
            }
            sessions.extend(kept);
            warnings = Some(vec![format!(
                "sessions that OpenCode keeps in its database on {host} are not listed; run `surfaced sessions --files` there"
            )]);
        }
        Ok(SessionsResult { sessions, warnings })
    }
}
