//! `terminal.*`.

use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;

use crate::host::wire::{Attach as Look, Size};
use crate::os::peer::Peer;
use crate::os::process_table::ProcessTable;
use crate::proto::daemon::EndReason;
use crate::proto::terminal::{
    Attach, AttachItem, AttachParams, Create, CreateParams, Input, InputParams, Kill, Remove,
    Resize, Terminal, TerminalCapture, TerminalGet, TerminalList, TerminalListResult,
    TerminalSnapshot, TerminalWait,
};
use crate::proto::{Empty, Failure};
use crate::rpc::{Caller, Lifetime, Pending, Registry};
use crate::service::agents::Agents;
use crate::service::terminals::{PATIENCE, Plan, Seen, Terminals};

/// Adds the methods.
pub(super) fn add(registry: &mut Registry, terminals: &Terminals, agents: &Agents) {
    let (own, theirs) = (terminals.clone(), agents.clone());
    registry.method::<Create, _>(move |caller, params| {
        create(own.clone(), theirs.clone(), caller, params)
    });
    let own = terminals.clone();
    registry.method::<TerminalList, _>(move |_, params| {
        let own = own.clone();
        async move {
            let cwd = params.cwd.map(String::from);
            let terminals = own.list(cwd).await?;
            Ok(TerminalListResult { terminals })
        }
    });
    let own = terminals.clone();
    registry.method::<TerminalGet, _>(move |_, params| {
        let own = own.clone();
        async move { own.get(&params.id).await }
    });
    let own = terminals.clone();
    registry.method::<Resize, _>(move |_, params| {
        let own = own.clone();
        async move {
            own.resize(&params.id, size(params.rows, params.cols))
                .await?;
            Ok(Empty {})
        }
    });
    let own = terminals.clone();
    registry.method::<Input, _>(move |_, params| {
        let own = own.clone();
        async move {
            own.input(&params.id, &bytes(&params)?).await?;
            Ok(Empty {})
        }
    });
    read(registry, terminals);
    end(registry, terminals);
    let own = terminals.clone();
    registry.subscription::<Attach, _>(Lifetime::Watch, move |_, params, pending| {
        attach(own.clone(), params, pending)
    });
}

/// The methods that read a terminal.
fn read(registry: &mut Registry, terminals: &Terminals) {
    let own = terminals.clone();
    registry.method::<TerminalCapture, _>(move |_, params| {
        let own = own.clone();
        async move {
            let ansi = params.strip_ansi == Some(false);
            own.capture(&params.id, params.start, params.end, ansi)
                .await
        }
    });
    let own = terminals.clone();
    registry.method::<TerminalSnapshot, _>(move |_, params| {
        let own = own.clone();
        async move { own.snapshot(&params.id).await }
    });
}

/// The methods that end a terminal or wait for its end.
fn end(registry: &mut Registry, terminals: &Terminals) {
    let own = terminals.clone();
    registry.wait::<TerminalWait, _>(move |_, params| {
        let own = own.clone();
        async move {
            let timeout = params.timeout_ms.map(Duration::from_millis);
            own.wait(&params.id, timeout).await
        }
    });
    let own = terminals.clone();
    registry.wait::<Kill, _>(move |_, params| {
        let own = own.clone();
        let time = |ms: Option<u64>| ms.map_or(PATIENCE, Duration::from_millis);
        async move {
            let (graceful, force) = (
                time(params.graceful_timeout_ms),
                time(params.force_timeout_ms),
            );
            own.kill(&params.id, graceful, force).await
        }
    });
    let own = terminals.clone();
    registry.wait::<Remove, _>(move |_, params| {
        let own = own.clone();
        async move {
            own.remove(&params.id).await?;
            Ok(Empty {})
        }
    });
}

async fn create(
    terminals: Terminals,
    agents: Agents,
    caller: Caller,
    params: CreateParams,
) -> Result<Terminal, Failure> {
    let asked = params.rows.is_some() || params.cols.is_some();
    let size = size(
        params.rows.unwrap_or(DEFAULT.0),
        params.cols.unwrap_or(DEFAULT.1),
    );
    if let Some(agent) = &params.agent_id {
        let size = asked.then_some(size);
        return agents.terminal(agent, params.cwd.as_ref(), size).await;
    }
    let cwd = match params.cwd {
        Some(cwd) => Some(String::from(cwd)),
        None => tokio::task::spawn_blocking(move || directory(&caller.peer))
            .await
            .ok()
            .flatten(),
    };
    let argv = params.command.map(|command| {
        let args = params.args.into_iter().flatten();
        std::iter::once(command)
            .chain(args)
            .map(String::from)
            .collect()
    });
    terminals
        .create(Plan {
            cwd,
            argv,
            shell: params.shell.map(String::from),
            env: params.env,
            size: Some(size),
            name: params.name.map(String::from),
            title: params.title.map(String::from),
            ..Plan::default()
        })
        .await
}

/// The size of a terminal where nobody says one.
const DEFAULT: (u32, u32) = (24, 80);

/// A size that was checked.
fn size(rows: u32, cols: u32) -> Size {
    let side = |size: u32| u16::try_from(size).unwrap_or(1);
    Size {
        rows: side(rows),
        cols: side(cols),
    }
}

/// The directory of the calling process, where it is still that one.
fn directory(peer: &Peer) -> Option<String> {
    let mut table = ProcessTable::new();
    let process = table.get(peer.pid?)?;
    if process.uid != peer.uid || process.started_after(peer.since) {
        return None;
    }
    table.cwd(process.pid)
}

fn bytes(params: &InputParams) -> Result<Vec<u8>, Failure> {
    match (&params.data, &params.data_base64) {
        (Some(text), _) => Ok(text.clone().into_bytes()),
        (None, Some(base64)) => BASE64.decode(base64).map_err(|error| {
            Failure::params(
                "dataBase64",
                format!(
                    "dataBase64 must be base64 with its padding (RFC 4648): {}",
                    lower(&error)
                ),
            )
            .hint("text goes into data as it is")
        }),
        (None, None) => Ok(Vec::new()),
    }
}

/// What is wrong with base64, in the middle of a sentence.
fn lower(error: &base64::DecodeError) -> String {
    use base64::DecodeError as Error;
    match error {
        Error::InvalidByte(at, _) => format!("byte {at} is none of its letters"),
        Error::InvalidLength(_) => "it ends too early".to_owned(),
        Error::InvalidLastSymbol(at, _) => format!("letter {at} says more than fits"),
        Error::InvalidPadding => "the = at its end are not right".to_owned(),
    }
}

/// Whether an item costs more to write down than to hand over.
fn is_large(item: &AttachItem) -> bool {
    match item {
        AttachItem::Snapshot(_) => true,
        AttachItem::Output { data_base64, .. } => data_base64.len() > 16 << 10,
        _ => false,
    }
}

async fn attach(
    terminals: Terminals,
    params: AttachParams,
    pending: Pending<AttachItem>,
) -> Result<EndReason, Failure> {
    let sides = params.rows.zip(params.cols);
    let look = Look {
        replay: params.replay.unwrap_or(true),
        interactive: params.interactive.unwrap_or(false),
        one_screen: false,
        size: sides.map(|(rows, cols)| size(rows, cols)),
    };
    let mut viewing = terminals.watch(&params.id, look).await?;
    let Ok(sink) = pending.accept().await else {
        return Ok(EndReason::Unsubscribed);
    };
    // The sink takes an item when there is room; until then the host keeps the queue, and says what was left out.
    while let Some(seen) = viewing.next().await? {
        let sent = match seen {
            Seen::Item(item) if is_large(&item) => sink.send_large(item).await,
            Seen::Item(item) => sink.send(&item).await,
            Seen::Gap(missed) => sink.gap(missed).await,
        };
        if sent.is_err() {
            return Ok(EndReason::Unsubscribed);
        }
    }
    Ok(EndReason::Done)
}
