//! Finding the tmux servers of processes, and asking each once.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::time::Duration;

use futures_util::future::join_all;

use super::machine::Machine;
use crate::os::process_table::ProcessTable;
use crate::resolve::{Class, Host, InTmux, Program, read_tmux};
use crate::tmux::census::{Census, TakeCensus};
use crate::tmux::{Outcome, Server};
use crate::transport::Transport;

/// A server that does not answer within this time is stopped or stuck, and nobody waits for it.
const LIMIT: Duration = Duration::from_secs(2);

/// Asks the server at this socket who is where.
pub(super) async fn census(transport: &dyn Transport, socket: &str) -> Outcome<Census> {
    let mut invocation = Server::Socket(socket.to_owned()).invocation(&TakeCensus);
    invocation.timeout = Some(LIMIT);
    match transport.run(invocation).await {
        Ok(answer) => Outcome::of(&TakeCensus, &answer),
        Err(failure) => Outcome::Unknown(failure.message),
    }
}

/// Asks several servers at once; `servers` are their processes and sockets. One that does not answer, or is another process
/// than was meant, is left out.
pub(super) async fn censuses(
    transport: &dyn Transport,
    servers: &BTreeSet<(u32, String)>,
) -> BTreeMap<u32, Census> {
    let asked = servers.iter().map(async |(pid, socket)| {
        let Outcome::Done(census) = census(transport, socket).await else {
            return None;
        };
        let meant = census
            .places
            .first()
            .is_some_and(|place| place.server == *pid);
        meant.then_some((*pid, census))
    });
    join_all(asked).await.into_iter().flatten().collect()
}

/// The nearest tmux server of a chain of ancestors, if it is a process of ours: its place in the chain.
pub(super) fn server_in(table: &mut ProcessTable, chain: &[Program]) -> Option<usize> {
    let at = chain.iter().position(|program| {
        Host::of(program).is_some_and(|host| host.class == Class::Multiplexer && host.id == "tmux")
    })?;
    let server = table.get(chain[at].pid)?;
    (server.uid == ProcessTable::me()).then_some(at)
}

/// The socket of a server: what a process inside it says where it says so, else what the server was told at its start.
pub(super) fn socket_of(
    machine: &Machine,
    table: &mut ProcessTable,
    server: u32,
    inside: Option<&InTmux>,
) -> String {
    if let Some(inside) = inside.filter(|inside| inside.server == server) {
        return inside.socket.clone();
    }
    let argv = table.argv(server);
    let dir = table
        .environ(server)
        .and_then(|env| env.get("TMUX_TMPDIR").map(PathBuf::from));
    match socket_option(&argv) {
        Some(Told::Path(path)) => path,
        Some(Told::Name(name)) => machine.tmux_socket(dir.as_deref(), &name),
        None => machine.tmux_socket(dir.as_deref(), "default"),
    }
}

/// The place in tmux that the variables of a process of ours name, if they can be read and are tmux's.
pub(super) fn inside(table: &mut ProcessTable, pid: u32) -> Option<InTmux> {
    read_tmux(&table.environ(pid)?).ok().flatten()
}

enum Told {
    Path(String),
    Name(String),
}

/// `-S path` or `-L name` among the options of a tmux command line, apart from their value or together with it.
fn socket_option(argv: &[String]) -> Option<Told> {
    let mut words = argv.iter().skip(1);
    while let Some(word) = words.next() {
        let options = word.strip_prefix('-')?;
        // Options without a value may stand before one with it: `-uL name`.
        let Some(at) = options.find(['S', 'L', 'c', 'f', 'T']) else {
            continue;
        };
        let (option, value) = options[at..].split_at(1);
        let value = if value.is_empty() {
            words.next()?.clone()
        } else {
            value.to_owned()
        };
        match option {
            "S" => return Some(Told::Path(value)),
            "L" => return Some(Told::Name(value)),
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_is_found_by_what_it_was_told() {
        for (line, expected) in [
            ("tmux -L work new-session -d", Some("name work")),
            ("tmux -S /tmp/a new -d", Some("path /tmp/a")),
            ("tmux -f /dev/null -L x new", Some("name x")),
            ("tmux -uLx new", Some("name x")),
            ("tmux new-session -L x", None),
            ("tmux", None),
            ("tmux: server", None),
        ] {
            let argv: Vec<String> = line.split(' ').map(str::to_owned).collect();
            let told = socket_option(&argv).map(|told| match told {
                Told::Path(path) => format!("path {path}"),
                Told::Name(name) => format!("name {name}"),
            });
            assert_eq!(told.as_deref(), expected, "{line}");
        }
    }
}
