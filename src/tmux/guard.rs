//! Acting on one server and no other: ids begin again with each server, so its process is checked in the same breath.

use super::command::{Command, Verb};
use super::outcome::{Absent, Outcome};

/// What the server prints when it is another one.
const OTHER: &str = "surfaced: another server";

/// A command that only the server with this process id carries out.
///
/// Check and act are one message to the server (`if-shell -F`, which runs no shell), so nothing can come between them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OnServer<C> {
    /// The process id of the server.
    pub pid: u32,
    /// What it is told.
    pub command: C,
}

impl<C: Command> Command for OnServer<C> {
    type Output = C::Output;

    fn verbs(&self) -> Vec<Verb> {
        let condition = format!("#{{==:#{{pid}},{}}}", self.pid);
        let otherwise = Verb::new("display-message").option("-p", OTHER);
        vec![
            Verb::new("if-shell")
                .flag("-F")
                .rest([condition])
                .block(&self.command.verbs())
                .block(&[otherwise]),
        ]
    }

    fn stdin(&self) -> Option<Vec<u8>> {
        self.command.stdin()
    }

    fn read(&self, output: &str) -> Outcome<C::Output> {
        if is_other(output) {
            Outcome::Absent(Absent::Server)
        } else {
            self.command.read(output)
        }
    }
}

/// Whether this is the word of another server.
pub(super) fn is_other(output: &str) -> bool {
    output.trim_end() == OTHER
}

#[cfg(test)]
mod tests {
    use super::super::id::PaneId;
    use super::super::pane::KillPane;
    use super::super::server::Server;
    use super::*;

    #[test]
    fn the_server_is_checked_and_told_in_one_message() {
        let guarded = OnServer {
            pid: 812,
            command: KillPane(PaneId(7)),
        };
        assert_eq!(
            Server::Socket("/t/s".into()).argv(&guarded),
            [
                "tmux",
                "-u",
                "-S",
                "/t/s",
                "if-shell",
                "-F",
                "--",
                "#{==:#{pid},812}",
                "kill-pane -t '%7'",
                "display-message -p 'surfaced: another server'",
            ]
        );
        assert_eq!(
            guarded.read("surfaced: another server\n"),
            Outcome::Absent(Absent::Server)
        );
        assert_eq!(guarded.read(""), Outcome::Done(()));
    }
}
