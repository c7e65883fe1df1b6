//! Ghostty on macOS, by its AppleScript dictionary (`macos/Ghostty.sdef`, since 1.3).
//!
//! Its `command` is a line for `bash -c "exec -l …"` behind `login`, which may lose the directory, so it is only ever given
//! `/bin/sh` and the path of a launch script that changes the directory itself. It is preferred to `initial input`, which
//! types into whatever the person configured as their shell, possibly a multiplexer with their other windows.

use super::applescript::{self, Args, FIELD, RECORD};
use super::job::{Payload, SCRIPT};
use super::sequence::Sequence;
use super::{
    Act, Anchor, Availability, Backend, Done, Draft, Facts, Job, Need, Opened, keys, not_supported,
};
use crate::launch::quote;
use crate::launch::step::{BoxedConversation, Invocation, Once};
use crate::proto::launch::OnExit;
use crate::proto::resolve::Capabilities;
use crate::proto::surfaces::SurfaceInfo;
use crate::proto::{BackendId, Failure, Kind, Layout, Platform, SurfaceRef};

/// Ghostty.
#[derive(Clone, Copy, Debug, Default)]
pub struct Ghostty;

const LABEL: &str = "Ghostty";

impl Backend for Ghostty {
    fn id(&self) -> &'static str {
        "ghostty"
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
            capture: false,
            close: true,
            remote: true,
            headless: false,
        }
    }

    fn needs(&self) -> Vec<Need> {
        vec![Need::App("Ghostty.app".into())]
    }

    fn availability(&self, facts: &Facts) -> Availability {
        if facts.platform != Platform::Darwin {
            return Availability::no("Ghostty can be scripted on macOS only", None);
        }
        match facts.missing(self.id(), &self.needs()) {
            Some(missing) => Availability::no(
                missing.reason(LABEL),
                Some("install Ghostty 1.3 or newer from https://ghostty.org".into()),
            ),
            None => Availability::yes("Ghostty is installed"),
        }
    }

    /// Ghostty tells the programs inside it no id that its scripts know.
    fn knows_caller(&self, _job: &Job) -> bool {
        false
    }

    fn build(&self, job: &Job) -> Result<Draft, Failure> {
        let draft = if job.handles {
            with_handles(job)
        } else {
            return Ok(bare(job));
        };
        let draft = if job.request.title.is_some() {
            draft.warn("Ghostty's scripts set no titles, so the title was left out")
        } else {
            draft
        };
        let kept = draft.script.is_some() && job.request.on_exit != Some(OnExit::Hold);
        Ok(if kept {
            draft
                .warn("Ghostty keeps the surface until a key is pressed when the command has ended")
        } else {
            draft
        })
    }

    fn open(&self, job: &Job) -> Result<BoxedConversation<Opened>, Failure> {
        let target = match &job.anchor {
            Anchor::Target(surface) | Anchor::Opened(surface) => Some(surface.clone()),
            _ => None,
        };
        let invocation = self.build(job)?.invocation();
        Ok(Box::new(Once::new(invocation, move |answer| {
            let id = applescript::read(&answer, LABEL, "open a surface", target.as_ref())?;
            Ok(Opened {
                surface: applescript::reference("ghostty", &id),
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
        let (field, record) = (u32::from(FIELD), u32::from(RECORD));
        let script = format!(
            "  if application id \"com.mitchellh.ghostty\" is not running then return \"\"\n  set listing to \"\"\n  \
               tell application id \"com.mitchellh.ghostty\"\n    repeat with t in terminals\n      \
               set listing to listing & (id of t) & (character id {field}) & (name of t) & (character id {field}) & \
               (working directory of t) & (character id {record})\n    end repeat\n  end tell\n  return listing"
        );
        let invocation = Args::default().invocation(&script);
        Ok(Box::new(Once::new(invocation, |answer| {
            let output = applescript::read(&answer, LABEL, "list the terminals", None)?;
            let info = |[id, name, cwd]: [String; 3]| {
                Some(SurfaceInfo {
                    surface: applescript::reference("ghostty", &id)?,
                    backend: BackendId::from("ghostty"),
                    title: Some(name).filter(|name| !name.is_empty()),
                    cwd: Some(cwd).filter(|cwd| !cwd.is_empty()),
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

/// The launch engine's form: the front terminal, directory and command in the script.
fn bare(job: &Job) -> Draft {
    let payload = job.payload(false, usize::MAX);
    let script = payload == Payload::Script;
    let words = quote::line(job.words(payload));
    // The script goes to the directory itself; a name that looks like its slot would be filled as well.
    let cwd = job.cwd().filter(|cwd| !(script && cwd.contains(SCRIPT)));
    let cwd = cwd.map_or_else(String::new, |cwd| {
        let cwd = quote::applescript(cwd);
        format!("  set initial working directory of cfg to {cwd}\n")
    });
    let command = if words.is_empty() {
        String::new()
    } else {
        format!("  set command of cfg to {}\n", quote::applescript(&words))
    };
    let front = "(focused terminal of selected tab of front window)";
    let window = "new window with configuration cfg";
    let other = match job.layout {
        Layout::Window => None,
        Layout::Tab => Some("new tab in front window".to_owned()),
        Layout::SplitRight => Some(format!("split {front} direction right")),
        Layout::SplitDown => Some(format!("split {front} direction down")),
    };
    let open = match other {
        None => format!("  {window}\n"),
        Some(other) => format!(
            "  if (count of windows) is 0 then\n    {window}\n  else\n    {other} with configuration cfg\n  end if\n"
        ),
    };
    let text = format!(
        "tell application \"Ghostty\"\n{}  set cfg to new surface configuration\n{cwd}{command}{open}end tell",
        applescript::activate(job)
    );
    applescript::bare(job, &text, script)
}

/// The default form: by bundle id, every terminal by its id, which a new one returns.
fn with_handles(job: &Job) -> Draft {
    let mut args = Args::default();
    let cwd = job.cwd().map_or_else(String::new, |cwd| {
        let item = args.add(cwd);
        format!("    set initial working directory of cfg to {item}\n")
    });
    // Ghostty starts the person's shell in a directory by itself.
    let runs = job.payload(false, 0) == Payload::Script;
    let command = if runs {
        let line = format!("/bin/sh {}", job.script_path());
        let item = if job.script.is_some() {
            args.add(line)
        } else {
            args.add_slot(line, SCRIPT)
        };
        format!("    set command of cfg to {item}\n")
    } else {
        String::new()
    };
    let target = match &job.anchor {
        Anchor::Earlier(item) => {
            let slot = format!("{{surface:{item}}}");
            Some(args.add_slot(slot.clone(), &slot))
        }
        Anchor::Target(SurfaceRef::Ghostty(id)) | Anchor::Opened(SurfaceRef::Ghostty(id)) => {
            Some(args.add(id))
        }
        _ => None,
    };
    // A fresh window may answer to its reference only after it has become a group of tabs.
    let window = |indent: &str| {
        [
            "set w to new window with configuration cfg",
            "try",
            "  return id of focused terminal of selected tab of w",
            "on error number -2710",
            "  return id of focused terminal of selected tab of front window",
            "end try",
        ]
        .map(|line| format!("{indent}{line}\n"))
        .concat()
    };
    let open = match (job.layout, target) {
        (Layout::SplitRight | Layout::SplitDown, Some(target)) => {
            let side = if job.layout == Layout::SplitRight {
                "right"
            } else {
                "down"
            };
            format!(
                "    set n to split (terminal id {target}) direction {side} with configuration cfg\n    return id of n\n"
            )
        }
        (Layout::Window, _) => window("    "),
        _ => format!(
            "    if (count of windows) is 0 then\n{}    end if\n    set t to new tab in front window with configuration cfg\n    \
               return id of focused terminal of t\n",
            window("      ")
        ),
    };
    let activate = if job.focus { "    activate\n" } else { "" };
    let body = format!(
        "  tell application id \"com.mitchellh.ghostty\"\n{activate}    set cfg to new surface configuration\n\
         {cwd}{command}{open}  end tell"
    );
    let draft = args.draft(&body);
    let script = runs.then(|| job.script_text());
    Draft { script, ..draft }
}

/// The commands of a verb. `tell` would start the application, so it is asked before whether it runs.
fn plan(surface: &SurfaceRef, act: &Act) -> Result<Sequence<Done>, Failure> {
    let SurfaceRef::Ghostty(id) = surface else {
        return Err(Failure::params(
            "surface",
            format!("{surface} is no surface of Ghostty"),
        ));
    };
    let step = |sequence: Sequence<Done>, words: &[&str], then: &dyn Fn(&[String]) -> String| {
        let mut args = Args::default();
        let id = args.add(id);
        let words: Vec<_> = words.iter().map(|word| args.add(*word)).collect();
        let body = format!(
            "  if application id \"com.mitchellh.ghostty\" is not running then error \"Ghostty is not running\" number {}\n  \
               tell application id \"com.mitchellh.ghostty\"\n    set t to terminal id {id}\n    {}\n  end tell",
            applescript::NO_SURFACE,
            then(&words)
        );
        let (surface, verb) = (surface.clone(), act.verb());
        sequence.then(args.invocation(&body), move |answer, done| {
            applescript::read(&answer, LABEL, &format!("{verb} {surface}"), Some(&surface))?;
            if let Done::Writes(writes) = done {
                *writes += 1;
            }
            Ok(())
        })
    };
    let nothing = Sequence::new(Done::Nothing);
    Ok(match act {
        // A return inside pasted text is no Enter, so there is no combined form: Enter is always a key.
        Act::Inject { text, enter, .. } => {
            let mut sequence = Sequence::new(Done::Writes(0));
            if !text.is_empty() {
                sequence = step(sequence, &[text], &|words| {
                    format!("input text {} to t", words[0])
                });
            }
            if *enter {
                sequence = step(sequence, &[], &|_| "send key \"enter\" to t".to_owned());
            }
            sequence
        }
        Act::Keys(names) => {
            keys::bytes(names)?;
            let mut sequence = nothing;
            for name in names {
                let (key, modifiers) = key(name)?;
                sequence = step(sequence, &[&key, &modifiers], &|words| {
                    format!("send key {} modifiers {} to t", words[0], words[1])
                });
            }
            sequence
        }
        Act::Capture(_) => {
            return Err(not_supported(
                LABEL,
                act,
                "its scripts do not give the text on the screen",
            ));
        }
        Act::Focus => step(nothing, &[], &|_| "focus t".to_owned()),
        Act::Close => step(nothing, &[], &|_| "close t".to_owned()),
    })
}

/// Ghostty's name of a key and its modifiers.
fn key(name: &str) -> Result<(String, String), Failure> {
    let mut rest = name;
    let mut modifiers = Vec::new();
    while let Some((modifier, after)) = rest
        .split_at_checked(2)
        .filter(|(_, after)| !after.is_empty())
    {
        modifiers.push(match modifier {
            "C-" | "c-" => "control",
            "M-" | "m-" => "option",
            "S-" | "s-" => "shift",
            _ => break,
        });
        rest = after;
    }
    let lower = rest.to_ascii_lowercase();
    let key = match lower.as_str() {
        "bspace" => "backspace",
        "up" => "arrowUp",
        "down" => "arrowDown",
        "left" => "arrowLeft",
        "right" => "arrowRight",
        "ppage" | "pageup" | "pgup" => "pageUp",
        "npage" | "pagedown" | "pgdn" => "pageDown",
        "dc" | "delete" => "delete",
        "ic" | "insert" => "insert",
        "enter" | "escape" | "tab" | "space" | "home" | "end" => &lower,
        function if function.len() > 1 && function.starts_with('f') => function,
        letter if letter.len() == 1 && letter.bytes().all(|b| b.is_ascii_alphanumeric()) => letter,
        _ => {
            let message = format!("the key {name} has no name in Ghostty's scripts");
            return Err(
                Failure::new(Kind::NotSupported, message).hint("type it with surface.inject")
            );
        }
    };
    if rest.len() == 1
        && rest.bytes().all(|b| b.is_ascii_uppercase())
        && !modifiers.contains(&"shift")
    {
        modifiers.push("shift");
    }
    Ok((key.to_owned(), modifiers.join(",")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_have_ghosttys_names() {
        for (name, expected) in [
            ("Enter", ("enter", "")),
            ("C-c", ("c", "control")),
            ("C-M-x", ("x", "control,option")),
            ("A", ("a", "shift")),
            ("Up", ("arrowUp", "")),
            ("F5", ("f5", "")),
        ] {
            let (key, modifiers) = key(name).unwrap();
            assert_eq!((key.as_str(), modifiers.as_str()), expected, "{name}");
        }
        assert_eq!(key(";").unwrap_err().kind(), Kind::NotSupported);
    }
}
