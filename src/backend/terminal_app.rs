//! Terminal.app, by its AppleScript dictionary.
//!
//! `do script` types a line into the person's login shell, where a long line is cut and aliases apply, so it is only ever
//! `exec /bin/sh` and the path of a launch script. Without more it opens a window. In an existing tab it would type into
//! whatever runs there, so that is not done, except in the launch engine's own form. A tab has no id; it is known by its
//! terminal device.

use super::applescript::{self, Args, FIELD, RECORD};
use super::job::{Payload, SCRIPT};
use super::sequence::Sequence;
use super::{
    Act, Availability, Backend, Done, Draft, Facts, Job, Need, Opened, lines, not_supported,
};
use crate::config::TerminalTabs;
use crate::launch::quote;
use crate::launch::step::{BoxedConversation, Invocation, Once};
use crate::proto::resolve::Capabilities;
use crate::proto::surfaces::SurfaceInfo;
use crate::proto::{BackendId, Failure, Kind, Layout, Platform, SurfaceRef};

/// Terminal.app.
#[derive(Clone, Copy, Debug, Default)]
pub struct TerminalApp {
    /// How tabs are made.
    pub tabs: TerminalTabs,
}

const LABEL: &str = "Terminal";

impl Backend for TerminalApp {
    fn id(&self) -> &'static str {
        "terminal"
    }

    fn label(&self) -> &'static str {
        LABEL
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities {
            tab: self.tabs == TerminalTabs::SystemEvents,
            window: true,
            handle: true,
            focus: true,
            inject: true,
            capture: true,
            close: true,
            ..Capabilities::default()
        }
    }

    fn needs(&self) -> Vec<Need> {
        vec![Need::App("Terminal.app".into())]
    }

    fn availability(&self, facts: &Facts) -> Availability {
        if facts.platform != Platform::Darwin {
            return Availability::no("Terminal.app is a part of macOS", None);
        }
        if facts.over_ssh() {
            let remedy = "name tmux, which works over SSH";
            return Availability::no(
                "scripts do not reach Terminal.app over SSH",
                Some(remedy.into()),
            );
        }
        match facts.missing(self.id(), &self.needs()) {
            Some(missing) => Availability::no(missing.reason(LABEL), None),
            None => Availability::yes("every Mac has it"),
        }
    }

    fn knows_caller(&self, _job: &Job) -> bool {
        false
    }

    fn build(&self, job: &Job) -> Result<Draft, Failure> {
        if !job.handles {
            return Ok(bare(job));
        }
        let in_tab = self.tabs == TerminalTabs::SystemEvents && job.layout != Layout::Window;
        let draft = with_handles(job, in_tab);
        Ok(match (job.layout, in_tab) {
            (Layout::Window, _) | (Layout::Tab, true) => draft,
            (Layout::Tab, false) => draft.warn(
                "Terminal.app makes tabs only by a key stroke, so a window is opened \
                 (the configuration can allow it: [backends.terminal] tabs = \"system-events\")",
            ),
            (_, true) => draft.warn("Terminal.app has no splits, so a tab is opened"),
            (_, false) => draft.warn("Terminal.app has no splits, so a window is opened"),
        })
    }

    fn open(&self, job: &Job) -> Result<BoxedConversation<Opened>, Failure> {
        let invocation = self.build(job)?.invocation();
        Ok(Box::new(Once::new(invocation, |answer| {
            let tty = applescript::read(&answer, LABEL, "open a surface", None)?;
            Ok(Opened {
                surface: applescript::reference("terminal", &tty),
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
            "set listing to listing & (tty of t) & (character id {}) & (custom title of t) & (character id {})",
            u32::from(FIELD),
            u32::from(RECORD)
        );
        let script = format!(
            "  if application id \"com.apple.Terminal\" is not running then return \"\"\n  set listing to \"\"\n{}\n  return listing",
            every_tab(&each)
        );
        let invocation = Args::default().invocation(&script);
        Ok(Box::new(Once::new(invocation, |answer| {
            let output = applescript::read(&answer, LABEL, "list the tabs", None)?;
            let info = |[tty, title]: [String; 2]| {
                Some(SurfaceInfo {
                    surface: applescript::reference("terminal", &tty)?,
                    backend: BackendId::from("terminal"),
                    title: Some(title).filter(|title| !title.is_empty()),
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

/// The launch engine's form, which types into the front window where there is one.
fn bare(job: &Job) -> Draft {
    let payload = job.payload(true, usize::MAX);
    let script = payload == Payload::Script;
    let line = quote::applescript(&quote::line(job.words(payload)));
    let activate = applescript::activate(job);
    let text = if job.layout == Layout::Window {
        format!("tell application \"Terminal\"\n{activate}  do script {line}\nend tell")
    } else {
        format!(
            "tell application \"Terminal\"\n{activate}  if (count of windows) is 0 then\n    do script {line}\n  else\n    \
               do script {line} in front window\n  end if\nend tell"
        )
    };
    applescript::bare(job, &text, script)
}

/// The default form: a new window, or with the person's consent a new tab, known by its device.
fn with_handles(job: &Job, in_tab: bool) -> Draft {
    let mut args = Args::default();
    let runs = job.payload(true, 0) == Payload::Script;
    let line = if runs {
        let line = format!("exec /bin/sh {}", job.script_path());
        if job.script.is_some() {
            args.add(line)
        } else {
            args.add_slot(line, SCRIPT)
        }
    } else {
        "\"\"".to_owned()
    };
    let title = job.request.title.as_deref().map(|title| args.add(title));
    let done = |indent: &str| {
        let title = title.as_ref().map_or_else(String::new, |title| {
            format!("{indent}set custom title of n to {title}\n")
        });
        format!("{title}{indent}return tty of n\n")
    };
    let activate = if job.focus || in_tab {
        "    activate\n"
    } else {
        ""
    };
    let body = if in_tab {
        // Only a tab that was in no window before is typed into, whatever the person brings to the front meanwhile.
        format!(
            "  tell application id \"com.apple.Terminal\"\n{activate}    if (count of windows) is 0 then\n      \
               set n to do script {line}\n{}    end if\n    set known to {{}}\n    repeat with w in windows\n      \
               set known to known & (tty of every tab of w)\n    end repeat\n  end tell\n\
             {KEYSTROKE}  tell application id \"com.apple.Terminal\"\n    repeat 50 times\n      \
               set n to selected tab of front window\n      if (tty of n) is not in known then\n        \
               do script {line} in n\n{}      end if\n      delay 0.1\n    end repeat\n  end tell\n  \
               error \"Terminal made no new tab\" number 9002",
            done("      "),
            done("        ")
        )
    } else {
        format!(
            "  tell application id \"com.apple.Terminal\"\n{activate}    set n to do script {line}\n{}  end tell",
            done("    ")
        )
    };
    let draft = args.draft(&body);
    let script = runs.then(|| job.script_text());
    Draft { script, ..draft }
}

/// Presses Command-T, but only where that is allowed and only while Terminal has the keyboard.
const KEYSTROKE: &str = "  tell application \"System Events\"\n    \
    if not UI elements enabled then error \"the person has not allowed key strokes (Accessibility)\" number -1743\n    \
    repeat 20 times\n      if frontmost of process \"Terminal\" then exit repeat\n      delay 0.1\n    end repeat\n    \
    if not (frontmost of process \"Terminal\") then error \"Terminal did not come to the front\" number 9003\n    \
    tell process \"Terminal\" to keystroke \"t\" using command down\n  end tell\n";

/// Runs `each` for every tab `t` of every window `w`.
fn every_tab(each: &str) -> String {
    format!(
        "  tell application id \"com.apple.Terminal\"\n    repeat with w in windows\n      repeat with t in tabs of w\n        \
           {each}\n      end repeat\n    end repeat\n  end tell"
    )
}

/// The commands of a verb.
fn plan(surface: &SurfaceRef, act: &Act) -> Result<Sequence<Done>, Failure> {
    let SurfaceRef::Terminal(tty) = surface else {
        return Err(Failure::params(
            "surface",
            format!("{surface} is no surface of Terminal"),
        ));
    };
    let mut args = Args::default();
    let tty = args.add(tty);
    let then = match act {
        Act::Inject { enter: false, .. } => {
            return Err(not_supported(LABEL, act, "without an Enter, which its scripts always add"));
        }
        Act::Inject { text, .. } => format!("do script {} in t", args.add(text)),
        Act::Keys(_) => return Err(not_supported(LABEL, act, "its scripts type lines, not keys")),
        Act::Capture(None) => "return contents of t".to_owned(),
        Act::Capture(Some(_)) => "return history of t".to_owned(),
        Act::Focus => "set selected of t to true\n          set index of w to 1\n          activate".to_owned(),
        Act::Close => "if (count of tabs of w) > 1 then error \"its window has other tabs\" number 9004\n          \
                       close w"
            .to_owned(),
    };
    let each = format!(
        "if (not found) and ((tty of t) is {tty}) then\n          set found to true\n          {then}\n        end if"
    );
    let body = format!(
        "  if application id \"com.apple.Terminal\" is not running then error \"Terminal is not running\" number {gone}\n  \
           set found to false\n{}\n  if not found then error \"no such tab\" number {gone}",
        every_tab(&each),
        gone = applescript::NO_SURFACE,
    );
    let begin = match act {
        // One write: what is typed always ends in a return.
        Act::Inject { .. } => Done::Writes(1),
        Act::Capture(_) => Done::Text(String::new()),
        _ => Done::Nothing,
    };
    let (surface, act) = (surface.clone(), act.clone());
    Ok(
        Sequence::new(begin).then(args.invocation(&body), move |answer, done| {
            let doing = format!("{} {surface}", act.verb());
            if answer.complaint().ends_with("(9004)") {
                let message = format!(
                    "cannot {doing}: its window has other tabs, and Terminal closes only windows"
                );
                return Err(Failure::new(Kind::NotSupported, message).hint("end the program in it"));
            }
            let output = applescript::read(&answer, LABEL, &doing, Some(&surface))?;
            if let (Done::Text(text), Act::Capture(wanted)) = (done, &act) {
                *text = lines::last(&output, *wanted);
            }
            Ok(())
        }),
    )
}
