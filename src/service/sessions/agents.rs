//! Live agents among the processes.

use std::collections::{BTreeSet, HashMap};

use crate::os::process_table::{Process, ProcessTable};
use crate::provider::{Provider, Providers};
use crate::resolve::{self, Class, Host, InTmux, Program};
use crate::service::machine::Machine;
use crate::service::{programs, tmux_servers};

/// An agent's process.
#[derive(Clone, Debug)]
pub(super) struct AgentProcess {
    /// The provider.
    pub(super) provider: Provider,
    /// The process.
    pub(super) process: Process,
    /// Its working directory.
    pub(super) cwd: Option<String>,
    /// The application in which it is seen.
    pub(super) host: Option<&'static Host>,
    /// The processes between it and the tmux server that it runs in, itself included.
    pub(super) below_server: Vec<u32>,
    /// The tmux server that it runs in: process and socket.
    pub(super) server: Option<(u32, String)>,
    /// The terminal of a daemon of this kind that it is in.
    pub(super) hosted: Option<String>,
}

/// All agents of this user, in no order. An agent below another of the same kind belongs to that one, unless an application
/// lies between them.
pub(super) fn find(
    machine: &Machine,
    providers: &Providers,
    table: &mut ProcessTable,
) -> Vec<AgentProcess> {
    let mut kinds: HashMap<u32, Provider> = HashMap::new();
    let mut found = Vec::new();
    for (pid, name) in table.names() {
        if providers.may_be_agent(&name)
            && let Some(process) = table.get(pid)
            && process.uid == ProcessTable::me()
            && let Some(provider) = programs::provider(providers, table, &process)
        {
            kinds.insert(pid, provider);
            found.push(process);
        }
    }
    found
        .into_iter()
        .filter_map(|process| {
            let chain = programs::chain(table, process.pid);
            let provider = &kinds[&process.pid];
            (!is_part(&chain, provider, &kinds))
                .then(|| look(machine, table, process, provider.clone(), &chain))
        })
        .collect()
}

fn is_part(chain: &[Program], provider: &Provider, kinds: &HashMap<u32, Provider>) -> bool {
    chain
        .iter()
        .skip(1)
        .take_while(|program| Host::of(program).is_none())
        .any(|program| kinds.get(&program.pid) == Some(provider))
}

fn look(
    machine: &Machine,
    table: &mut ProcessTable,
    process: Process,
    provider: Provider,
    chain: &[Program],
) -> AgentProcess {
    let above = &chain[1.min(chain.len())..];
    let at = tmux_servers::server_in(table, chain);
    let server = at.map(|at| {
        let server = chain[at].pid;
        let inside: Option<InTmux> = tmux_servers::inside(table, process.pid);
        let socket = tmux_servers::socket_of(machine, table, server, inside.as_ref());
        (server, socket)
    });
    // The nearest application says where it is.
    let seen = resolve::seen_in(above);
    let hosted = above
        .iter()
        .find(|program| Host::of(program).is_some())
        .filter(|program| {
            let word = program.argv.get(1).map(String::as_str);
            program.bare_name() == resolve::SURFACED && word == Some(resolve::TERMINAL_HOST)
        })
        .and_then(|program| program.argv.get(2).cloned());
    AgentProcess {
        provider,
        cwd: table.cwd(process.pid),
        host: seen,
        below_server: chain[..at.unwrap_or(0)]
            .iter()
            .map(|program| program.pid)
            .collect(),
        server,
        hosted,
        process,
    }
}

/// The servers that the agents run in.
pub(super) fn servers(agents: &[AgentProcess]) -> BTreeSet<(u32, String)> {
    agents
        .iter()
        .filter_map(|agent| agent.server.clone())
        .collect()
}

/// Where a client of tmux is seen: an application, or a pane of another server.
pub(super) enum Seen {
    /// This application.
    In(&'static Host),
    /// A pane of this server, between whose process and the client these processes lie.
    Pane {
        /// The server's process and socket.
        server: (u32, String),
        /// The processes below the server, the client included.
        below: Vec<u32>,
    },
    /// Something that is not known.
    Elsewhere,
}

/// Where the client of this process is seen.
pub(super) fn client(machine: &Machine, table: &mut ProcessTable, pid: u32) -> Seen {
    let chain = programs::chain(table, pid);
    // The client itself is called tmux, too.
    let above = &chain[1.min(chain.len())..];
    match resolve::seen_in(above) {
        Some(host) if host.class == Class::Multiplexer && host.id == "tmux" => {
            let Some(at) = tmux_servers::server_in(table, above) else {
                return Seen::Elsewhere;
            };
            let server = above[at].pid;
            let inside = tmux_servers::inside(table, pid);
            let socket = tmux_servers::socket_of(machine, table, server, inside.as_ref());
            Seen::Pane {
                server: (server, socket),
                below: chain[..=at].iter().map(|program| program.pid).collect(),
            }
        }
        Some(host) => Seen::In(host),
        None => Seen::Elsewhere,
    }
}
