//! `backends`: every terminal, and why it can or cannot be driven, here or on a host.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::resolve::Resolver;
use crate::backend::registry::Registry;
use crate::backend::{Availability, Backend, Facts, Found, Need};
use crate::launch::step::Invocation;
use crate::os::peer::Peer;
use crate::proto::resolve::BackendInfo;
use crate::proto::{Context, Failure, Kind, Platform};
use crate::transport::Transport;

/// Answers with the things among its words that are there, and with the name of the system first. Every word is data.
///
/// Of a Mac it says first whether the person is not the one who is logged in at its screen.
const LOOK: &str = r#"uname -s
if [ "$(uname -s)" = Darwin ] && [ "$(stat -f %u /dev/console)" != "$(id -u)" ]; then echo dark; fi
for need do
  what=${need#*:}
  case $need in
    program:*) command -v "$what" >/dev/null 2>&1 ;;
    app:*)
      for dir in /Applications /System/Applications /System/Applications/Utilities "$HOME/Applications"; do
        [ -d "$dir/$what" ] && break
      done ;;
    entry:*)
      set -- "$HOME/$what"*
      [ -e "$1" ] ;;
  esac && printf 'found %s\n' "$need"
done
exit 0"#;

impl Resolver {
    /// Every terminal of this machine, for this caller.
    pub async fn backends(&self, peer: &Peer, context: Option<&Context>) -> Vec<BackendInfo> {
        let caller = self.contexts().see(peer, context).await;
        let candidates = self.look_at(&caller).await;
        let answers = candidates
            .into_iter()
            .map(|candidate| candidate.availability);
        self.registry()
            .iter()
            .zip(answers)
            .map(|(backend, availability)| info(backend, availability))
            .collect()
    }

    /// Every terminal of the host that this transport reaches. Of the caller nothing counts: it is not there.
    ///
    /// # Errors
    /// What the transport fails with, and `state-unknown` where the host answers something else.
    pub async fn backends_on(
        &self,
        transport: &dyn Transport,
    ) -> Result<Vec<BackendInfo>, Failure> {
        let registry = self.registry();
        let (facts, dark) = look_on(transport, &registry).await?;
        let is_app = |backend: &Arc<dyn Backend>| {
            let needs = backend.needs();
            needs.iter().any(|need| matches!(need, Need::App(_)))
        };
        let there = |backend: &Arc<dyn Backend>| {
            let availability = if dark && is_app(backend) {
                let reason = "you are not logged in at the screen of that Mac";
                let remedy = "log in there, and allow sshd to control applications when it asks";
                Availability::no(reason, Some(remedy.to_owned()))
            } else if backend.capabilities().remote {
                backend.availability(&facts)
            } else {
                let reason = format!(
                    "{} is driven on the daemon's own machine only",
                    backend.label()
                );
                Availability::no(reason, None)
            };
            info(backend, availability)
        };
        Ok(registry.iter().map(there).collect())
    }
}

fn info(backend: &Arc<dyn Backend>, availability: Availability) -> BackendInfo {
    BackendInfo {
        id: backend.id().into(),
        label: backend.label().to_owned(),
        available: availability.available,
        reason: Some(availability.reason),
        remedy: availability.remedy,
        capabilities: backend.capabilities(),
        source: backend.source(),
    }
}

/// Looks for what the backends need, on a host. Also whether it is a Mac whose screen is not the person's.
async fn look_on(transport: &dyn Transport, registry: &Registry) -> Result<(Facts, bool), Failure> {
    let needs: BTreeSet<Need> = registry
        .iter()
        .flat_map(|backend| backend.needs())
        .collect();
    let words: BTreeMap<String, Need> = needs.into_iter().map(|need| (word(&need), need)).collect();
    let look = ["/bin/sh", "-c", LOOK, "sh"].map(str::to_owned);
    let argv = look.into_iter().chain(words.keys().cloned());
    let answer = transport.run(Invocation::new(argv)).await?;
    let text = answer.text();
    let mut lines = text.lines();
    let platform = match lines.next() {
        Some("Darwin") if answer.ok() => Platform::Darwin,
        Some(_) if answer.ok() => Platform::Linux,
        _ => {
            let complaint = answer.complaint();
            return Err(Failure::new(
                Kind::StateUnknown,
                format!("cannot look for terminals on the host: {complaint}"),
            ));
        }
    };
    let mut lines = lines.peekable();
    let dark = lines.next_if_eq(&"dark").is_some();
    let found = lines
        .filter_map(|line| words.get(line.strip_prefix("found ")?))
        .cloned()
        .collect();
    let facts = Facts {
        platform,
        // Whatever is done there is done over SSH.
        env: BTreeMap::from([("SSH_CONNECTION".to_owned(), "surfaced".to_owned())]),
        found: Found::Seen(found),
        in_tmux: false,
        on_host: true,
    };
    Ok((facts, dark))
}

/// The need as one word of [`LOOK`].
fn word(need: &Need) -> String {
    match need {
        Need::Program(name) => format!("program:{name}"),
        Need::App(name) => format!("app:{name}"),
        Need::HomeEntry { dir, prefix } => format!("entry:{dir}/{prefix}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transport::Local;

    #[tokio::test]
    async fn what_is_on_a_host_is_looked_for_there() {
        let dir = tempfile::tempdir().unwrap();
        let home = dir.path().join("a home");
        fs_err::create_dir_all(home.join(".x/extensions/some.ext-1.2")).unwrap();
        fs_err::create_dir_all(home.join("Applications/My App.app")).unwrap();
        let local = Local::new("/usr/bin:/bin");
        let entry = |prefix: &str| Need::HomeEntry {
            dir: ".x/extensions".into(),
            prefix: prefix.into(),
        };
        let needs = [
            (Need::Program("sh".into()), true),
            (Need::Program("$(touch pwn)".into()), false),
            (Need::App("My App.app".into()), true),
            (Need::App("Nope.app".into()), false),
            (entry("some.ext-"), true),
            (entry("other.ext-"), false),
        ];
        let look = ["/bin/sh", "-c", LOOK, "sh"].map(str::to_owned);
        let mut invocation = Invocation::new(
            look.into_iter()
                .chain(needs.iter().map(|(need, _)| word(need))),
        );
        invocation
            .env
            .insert("HOME".into(), home.to_str().unwrap().into());
        let answer = local.run(invocation).await.unwrap();
        let text = answer.text();
        let found: Vec<&str> = text.lines().skip(1).collect();
        let expected: Vec<String> = needs
            .iter()
            .filter(|(_, there)| *there)
            .map(|(need, _)| format!("found {}", word(need)))
            .collect();
        assert_eq!(found, expected, "{text} {}", answer.complaint());
    }

    #[tokio::test]
    async fn facts_of_a_host_are_not_those_of_the_caller() {
        let local = Local::new("/usr/bin:/bin");
        let (facts, _) = look_on(&local, &Registry::default()).await.unwrap();
        assert_eq!(facts.platform, Platform::current());
        assert!(facts.over_ssh() && !facts.in_tmux);
    }
}
