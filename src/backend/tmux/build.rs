//! The commands that open windows and panes.

use std::collections::BTreeMap;

use super::{Caller, SESSION};
use crate::backend::job::Payload;
use crate::backend::{Anchor, Draft, Job};
use crate::launch::quote;
use crate::launch::shell::Program;
use crate::proto::{Layout, SurfaceRef, TmuxPane};
use crate::tmux::open::{NewSession, NewWindow, Side, SplitPane, Start};
use crate::tmux::{PaneId, Server, Verb, escape, server};

/// What stands for the session of a new window where the caller is in none.
pub(super) const SESSION_SLOT: &str = "{session}";

/// The size of a detached session until someone attaches.
const SIZE: (u16, u16) = (200, 50);

/// The command, with slots.
pub(super) fn build(job: &Job) -> Draft {
    let draft = if job.handles {
        with_handles(job)
    } else {
        bare(job)
    };
    if job.layout == Layout::Window {
        draft.warn("tmux has no windows of its own on the screen, so a tab is opened")
    } else {
        draft
    }
}

/// The launch engine's form: tmux finds the place by itself, from the caller's variables.
fn bare(job: &Job) -> Draft {
    let payload = job.payload(false, server::LONGEST);
    let script = payload == Payload::Script;
    let words = quote::line(job.words(payload));
    let target = target(job);
    let server = target
        .as_ref()
        .map(|pane| ["-S".to_owned(), pane.socket.clone()]);
    let verb = match side(job.layout) {
        Some(Side::Right) => Verb::new("split-window").flag("-h"),
        Some(Side::Below) => Verb::new("split-window").flag("-v"),
        None => Verb::new("new-window"),
    };
    let verb = verb
        .flag_if(!job.focus, "-d")
        .option_if("-t", target.and_then(|pane| pane.pane).map(PaneId))
        .option_if("-c", job.cwd().map(escape::format))
        .option_if("-n", title(job).map(escape::format));
    let mut argv = vec!["tmux".to_owned()];
    argv.extend(server.into_iter().flatten());
    argv.extend(verb.words().iter().map(|word| escape::argument(word)));
    if !words.is_empty() {
        argv.push(escape::argument(&words));
    }
    let mut draft = Draft::new(argv);
    for name in [PLACE, "TMUX", "TMUX_PANE"] {
        draft.env.extend(
            job.var(name)
                .map(|value| (name.to_owned(), value.to_owned())),
        );
    }
    if script {
        draft.with_script(job)
    } else {
        draft
    }
}

/// The default form: every place by id, and tmux says what it made.
fn with_handles(job: &Job) -> Draft {
    // tmux starts the person's shell in a directory by itself.
    let shell = matches!(Program::from(&job.request), Program::Shell);
    let payload = job.payload(!shell, server::LONGEST);
    let draft = addressed(job, job.words(payload.clone()));
    let (draft, script) = if server::fits(&draft.argv) {
        (draft, payload == Payload::Script)
    } else {
        (addressed(job, job.words(Payload::Script)), true)
    };
    if script {
        draft.with_script(job)
    } else {
        draft
    }
}

fn addressed(job: &Job, argv: Vec<String>) -> Draft {
    let start = Start {
        cwd: job.cwd().map(str::to_owned),
        argv,
        focus: job.focus,
    };
    let caller = Caller::of(job);
    if let Some(side) = side(job.layout) {
        let pane = match &job.anchor {
            Anchor::Earlier(item) => format!("{{surface:{item}}}"),
            _ => target(job)
                .and_then(|pane| pane.pane.map(PaneId))
                .or_else(|| caller.as_ref().and_then(|caller| caller.pane))
                .map_or_else(String::new, |pane| pane.to_string()),
        };
        let split = SplitPane {
            pane: pane.clone(),
            side,
            start,
        };
        let draft = placed(job, server(job).argv(&split));
        return if matches!(job.anchor, Anchor::Earlier(_)) {
            slotted(draft, &pane)
        } else {
            draft
        };
    }
    let session = match (&job.session, &caller) {
        (Some(session), _) => session.clone(),
        (None, Some(caller)) => caller.session.to_string(),
        (None, None) => SESSION_SLOT.to_owned(),
    };
    let window = NewWindow {
        session: session.clone(),
        name: job.request.title.as_deref().map(str::to_owned),
        start: start.clone(),
    };
    let mut draft = placed(job, server(job).argv(&window));
    if session == SESSION_SLOT {
        draft = slotted(draft, SESSION_SLOT);
        draft.otherwise = Some(Server::Default.argv(&new_session(job, start)));
    }
    draft
}

/// The session that is made where none is.
pub(super) fn new_session(job: &Job, start: Start) -> NewSession {
    NewSession {
        name: SESSION.to_owned(),
        window: job.request.title.as_deref().map(str::to_owned),
        size: SIZE,
        start,
    }
}

/// The server that is spoken to: that of the surface to split, else the caller's, else the default one.
pub(super) fn server(job: &Job) -> Server {
    match (target(job), Caller::of(job)) {
        (Some(pane), _) => Server::Socket(pane.socket),
        (None, Some(caller)) => Server::Socket(caller.socket),
        (None, None) => Server::Default,
    }
}

/// The variable by which tmux finds the default server.
const PLACE: &str = "TMUX_TMPDIR";

/// Where the default server of the caller is: that which it means, whatever the daemon was started with.
pub(super) fn place(job: &Job) -> BTreeMap<String, String> {
    let place = job.var(PLACE).filter(|_| server(job) == Server::Default);
    place
        .map(|dir| (PLACE.to_owned(), dir.to_owned()))
        .into_iter()
        .collect()
}

/// Whether a plain `tmux` of the caller speaks to the server on this socket.
pub(super) fn is_default(job: &Job, socket: &str) -> bool {
    let dir = socket
        .strip_suffix("/default")
        .and_then(|path| path.rsplit_once("/tmux-"))
        .filter(|(_, uid)| uid.bytes().all(|b| b.is_ascii_digit()))
        .map(|(dir, _)| dir);
    match (dir, job.var(PLACE)) {
        (Some(dir), Some(place)) => dir == place.trim_end_matches('/'),
        // What macOS calls `/tmp` is elsewhere.
        (Some(dir), None) => matches!(dir, "/tmp" | "/private/tmp"),
        (None, _) => false,
    }
}

fn placed(job: &Job, argv: Vec<String>) -> Draft {
    let mut draft = Draft::new(argv);
    draft.env = place(job);
    draft
}

/// The surface to split, where it is known.
fn target(job: &Job) -> Option<TmuxPane> {
    match &job.anchor {
        Anchor::Target(SurfaceRef::Tmux(pane)) | Anchor::Opened(SurfaceRef::Tmux(pane)) => {
            Some(pane.clone())
        }
        _ => None,
    }
}

/// The word after `-t` holds what is not known yet; nothing of a caller can stand there.
fn slotted(draft: Draft, text: &str) -> Draft {
    match draft.argv.iter().position(|word| word == "-t") {
        Some(at) => draft.slot(at + 1, text),
        None => draft,
    }
}

fn title(job: &Job) -> Option<&str> {
    job.request
        .title
        .as_deref()
        .filter(|_| !job.layout.is_split())
}

fn side(layout: Layout) -> Option<Side> {
    match layout {
        Layout::SplitRight => Some(Side::Right),
        Layout::SplitDown => Some(Side::Below),
        Layout::Tab | Layout::Window => None,
    }
}
