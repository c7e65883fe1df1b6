//! iTerm2, by its AppleScript dictionary (`iTerm2.sdef`).
//!
//! Its `command` is no shell line: it is evaluated as an interpolated string (`\(…)` is executed), `$$…$$` is replaced, and
//! it is split into words by a parser of its own. So it is only ever given `/bin/sh` and the path of a launch script,
//! which also changes the directory: there is no parameter for that.

use super::applescript::{self, Args, FIELD, RECORD};
use super::job::{Payload, SCRIPT};
use super::sequence::Sequence;
use super::{
    Act, Anchor, Availability, Backend, Done, Draft, Facts, Job, Need, Opened, keys, lines,
};
use crate::launch::quote;
use crate::launch::step::{BoxedConversation, Invocation, Once};
use crate::proto::resolve::Capabilities;
use crate::proto::surfaces::SurfaceInfo;
use crate::proto::{BackendId, Failure, Kind, Layout, Platform, SurfaceRef};

/// iTerm2.
#[derive(Clone, Copy, Debug, Default)]
pub struct Iterm;

const LABEL: &str = "iTerm";

impl Backend for Iterm {
    fn id(&self) -> &'static str {
        "iterm"
    }

    fn label(&self) -> &'static str {
        LABEL
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities {
            tab: true,
            split_right: true,
            split_down: true,
            window: true,
            exact_target: true,
            handle: true,
            focus: true,
            inject: true,
            keys: true,
            capture: true,
            close: true,
            remote: true,
            headless: false,
        }
    }

    fn needs(&self) -> Vec<Need> {
        vec![Need::App("iTerm.app".into())]
    }

    fn availability(&self, facts: &Facts) -> Availability {
        if facts.platform != Platform::Darwin {
            return Availability::no("iTerm runs on macOS only", None);
        }
        match facts.missing(self.id(), &self.needs()) {
            Some(missing) => Availability::no(
                missing.reason(LABEL),
                Some("install it from https://iterm2.com".into()),
            ),
            None => Availability::yes("iTerm is installed"),
        }
    }

    fn knows_caller(&self, job: &Job) -> bool {
        caller(job).is_some()
    }

    fn build(&self, job: &Job) -> Result<Draft, Failure> {
        Ok(if job.handles {
            with_handles(job)
        } else {
            bare(job)
        })
    }

    fn open(&self, job: &Job) -> Result<BoxedConversation<Opened>, Failure> {
        let target = match &job.anchor {
            Anchor::Target(surface) | Anchor::Opened(surface) => Some(surface.clone()),
            _ => None,
        };
        let invocation = self.build(job)?.invocation();
        Ok(Box::new(Once::new(invocation, move |answer| {
            let output = applescript::read(&answer, LABEL, "open a surface", target.as_ref())?;
            let id = output.lines().next().unwrap_or_default();
            Ok(Opened {
                surface: applescript::reference("iterm", id),
                ..Opened::default()
            })
        })))
    }

    fn steps(&self, surface: &SurfaceRef, act: &Act) -> Result<Vec<Invocation>, Failure> {
        Ok(plan(surface, act)?.into_invocations())
    }

    fn act(&self, surface: &SurfaceRef, act: &Act) -> Result<BoxedConversation<Done>, Failure> {
        Ok(Box::new(plan(surface, act)?))
    }

    fn list(&self) -> Result<BoxedConversation<Vec<SurfaceInfo>>, Failure> {
        let each = format!(
            "set listing to listing & (id of s) & (character id {}) & (name of s) & (character id {})",
            u32::from(FIELD),
            u32::from(RECORD)
        );
        let script = format!(
            "  if application id \"com.googlecode.iterm2\" is not running then return \"\"\n  \
               set listing to \"\"\n{}\n  return listing",
            every_session(&each)
        );
        let invocation = Args::default().invocation(&script);
        Ok(Box::new(Once::new(invocation, |answer| {
            let output = applescript::read(&answer, LABEL, "list the sessions", None)?;
            let info = |[id, name]: [String; 2]| {
                Some(SurfaceInfo {
                    surface: applescript::reference("iterm", &id)?,
                    backend: BackendId::from("iterm"),
                    title: Some(name).filter(|name| !name.is_empty()),
                    cwd: None,
                    command: None,
                    active: None,
                    exit: None,
                })
            };
            Ok(applescript::records(&output)
                .into_iter()
                .filter_map(info)
                .collect())
        })))
    }
}

/// The launch engine's form: the front pane, the command in the script.
fn bare(job: &Job) -> Draft {
    let payload = job.payload(true, usize::MAX);
    let script = payload == Payload::Script;
    let words = quote::line(job.words(payload));
    let command = if words.is_empty() {
        String::new()
    } else {
        format!(" command {}", quote::applescript(&words))
    };
    let window = format!("create window with default profile{command}");
    let activate = applescript::activate(job);
    let other = match job.layout {
        Layout::Window => {
            let text = format!("tell application \"iTerm2\"\n{activate}  {window}\nend tell");
            return applescript::bare(job, &text, script);
        }
        Layout::Tab => "current window to create tab",
        Layout::SplitRight => "current session of current window to split vertically",
        Layout::SplitDown => "current session of current window to split horizontally",
    };
    let text = format!(
        "tell application \"iTerm2\"\n{activate}  if (count of windows) is 0 then\n    {window}\n  else\n    \
           tell {other} with default profile{command}\n  end if\nend tell"
    );
    applescript::bare(job, &text, script)
}

/// The default form: by bundle id, every session by its id, which a new one returns.
fn with_handles(job: &Job) -> Draft {
    let mut args = Args::default();
    let runs = job.payload(true, 0) == Payload::Script;
    let command = if runs {
        let line = format!("/bin/sh {}", job.script_path());
        let item = if job.script.is_some() {
            args.add(line)
        } else {
            args.add_slot(line, SCRIPT)
        };
        format!(" command {item}")
    } else {
        String::new()
    };
    let target = match &job.anchor {
        Anchor::Earlier(item) => {
            let slot = format!("{{surface:{item}}}");
            Some(args.add_slot(slot.clone(), &slot))
        }
        Anchor::Target(SurfaceRef::Iterm(id)) | Anchor::Opened(SurfaceRef::Iterm(id)) => {
            Some(args.add(id))
        }
        Anchor::Caller => caller(job).map(|id| args.add(id)),
        _ => None,
    };
    let title = job.request.title.as_deref();
    let title = title.map_or_else(String::new, |title| {
        format!("    set name of n to {}\n", args.add(title))
    });
    let activate = if job.focus { "    activate\n" } else { "" };
    let done = format!("{title}    return (id of n) & linefeed & (tty of n)");
    let body = match (job.layout, target) {
        (Layout::SplitRight | Layout::SplitDown, Some(target)) => {
            let side = if job.layout == Layout::SplitRight {
                "vertically"
            } else {
                "horizontally"
            };
            // A scripted split leaves the focus where it was.
            let select = if job.focus {
                "    tell n to select\n"
            } else {
                ""
            };
            let split = format!("tell s to set n to (split {side} with default profile{command})");
            format!(
                "{}\n  tell application id \"com.googlecode.iterm2\"\n{activate}{select}{done}\n  end tell",
                one_session(&target, &split)
            )
        }
        (Layout::Window, _) => format!(
            "  tell application id \"com.googlecode.iterm2\"\n{activate}    set n to current session of (create window with \
               default profile{command})\n{done}\n  end tell"
        ),
        _ => format!(
            "  tell application id \"com.googlecode.iterm2\"\n{activate}    if (count of windows) is 0 then\n      \
               set n to current session of (create window with default profile{command})\n    else\n      \
               tell current window to set t to (create tab with default profile{command})\n      \
               set n to current session of t\n    end if\n{done}\n  end tell"
        ),
    };
    let draft = args.draft(&body);
    let script = runs.then(|| job.script_text());
    Draft { script, ..draft }
}

/// The caller's session, from a variable that looks like iTerm's own and is not another terminal's inheritance.
fn caller(job: &Job) -> Option<String> {
    if job
        .var("TERM_PROGRAM")
        .is_some_and(|program| program != "iTerm.app")
    {
        return None;
    }
    let (_, id) = job.var("ITERM_SESSION_ID")?.split_once(':')?;
    match applescript::reference("iterm", id)? {
        SurfaceRef::Iterm(id) => Some(id),
        _ => None,
    }
}

/// Runs `each` for every session `s` of every tab `t` of every window `w`.
fn every_session(each: &str) -> String {
    format!(
        "  tell application id \"com.googlecode.iterm2\"\n    repeat with w in windows\n      repeat with t in tabs of w\n        \
           repeat with s in sessions of t\n          {each}\n        end repeat\n      end repeat\n    end repeat\n  end tell"
    )
}

/// Runs `then` for the session with this id: the application has no way to name one directly. It fails where there is
/// none, or where the application does not run, instead of starting it.
fn one_session(id: &str, then: &str) -> String {
    let each = format!(
        "if (not found) and ((id of s) is {id}) then\n            set found to true\n            {then}\n          end if"
    );
    format!(
        "  if application id \"com.googlecode.iterm2\" is not running then error \"iTerm is not running\" number {gone}\n  \
           set found to false\n{}\n  if not found then error \"no such session\" number {gone}",
        every_session(&each),
        gone = applescript::NO_SURFACE,
    )
}

/// The commands of a verb.
fn plan(surface: &SurfaceRef, act: &Act) -> Result<Sequence<Done>, Failure> {
    let SurfaceRef::Iterm(id) = surface else {
        return Err(Failure::params(
            "surface",
            format!("{surface} is no surface of iTerm"),
        ));
    };
    let step = |sequence: Sequence<Done>, word: Option<String>, then: &dyn Fn(&str) -> String| {
        let mut args = Args::default();
        let id = args.add(id);
        let word = word.map_or_else(String::new, |word| args.add(word));
        let invocation = args.invocation(&one_session(&id, &then(&word)));
        let (surface, verb) = (surface.clone(), act.verb());
        sequence.then(invocation, move |answer, done| {
            let output =
                applescript::read(&answer, LABEL, &format!("{verb} {surface}"), Some(&surface))?;
            match done {
                Done::Writes(writes) => *writes += 1,
                Done::Text(text) => *text = lines::last(&output, None),
                Done::Nothing => {}
            }
            Ok(())
        })
    };
    let write = |word: &str| format!("tell s to write text {word} newline false");
    let nothing = Sequence::new(Done::Nothing);
    Ok(match act {
        Act::Inject {
            text,
            enter,
            combined,
        } => keys::writes(text, *enter, *combined)
            .into_iter()
            .fold(Sequence::new(Done::Writes(0)), |sequence, text| {
                step(sequence, Some(text), &write)
            }),
        Act::Keys(names) => step(nothing, Some(keys::bytes(names)?), &write),
        Act::Capture(Some(_)) => {
            let message = "iTerm gives what is visible, not the lines above it";
            return Err(Failure::new(Kind::NotSupported, message).hint("leave `lines` out"));
        }
        Act::Capture(None) => step(Sequence::new(Done::Text(String::new())), None, &|_| {
            "return contents of s".to_owned()
        }),
        Act::Focus => step(nothing, None, &|_| {
            "select w\n            tell t to select\n            tell s to select\n            activate".to_owned()
        }),
        Act::Close => step(nothing, None, &|_| "close s".to_owned()),
    })
}
