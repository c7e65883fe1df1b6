//! Backends of the configuration file: command lines with holes.

use super::job::{Payload, SCRIPT};
use super::sequence::Sequence;
use super::{
    Act, Anchor, Availability, Backend, Done, Draft, Facts, Job, Need, Opened, keys, lines,
    not_supported,
};
use crate::config::{BackendTemplate, Hole, LayoutForm, Piece, Template};
use crate::launch::quote;
use crate::launch::shell::Program;
use crate::launch::step::{Answer, BoxedConversation, Ended, Invocation, Once, Stays};
use crate::proto::resolve::{BackendSource, Capabilities};
use crate::proto::surfaces::SurfaceInfo;
use crate::proto::{Failure, Kind, Layout, SurfaceRef};

/// A terminal that is described instead of coded.
#[derive(Clone, Debug)]
pub struct Described(pub BackendTemplate);

/// What fills the holes of one command line.
#[derive(Default)]
struct Values<'a> {
    cwd: &'a str,
    command: &'a [String],
    title: &'a str,
    script: &'a str,
    target: &'a str,
    text: &'a str,
}

impl Values<'_> {
    fn of(&self, hole: Hole) -> String {
        match hole {
            Hole::Cwd => self.cwd.to_owned(),
            Hole::Command | Hole::ShellLine => quote::line(self.command),
            Hole::Script => self.script.to_owned(),
            Hole::Title => self.title.to_owned(),
            Hole::Target => self.target.to_owned(),
            Hole::Text => self.text.to_owned(),
            // The validator lets the holes of providers stand nowhere here.
            Hole::SessionId | Hole::Model | Hole::Mode | Hole::Prompt => String::new(),
        }
    }

    /// The words of a template, and the slots among them.
    fn fill(&self, template: &Template) -> Draft {
        let mut draft = Draft::default();
        for word in &template.0 {
            let at = draft.argv.len();
            if word.0 == [Piece::Hole(Hole::Command)] {
                draft.argv.extend(self.command.iter().cloned());
                if self.command.last().is_some_and(|last| last == SCRIPT) {
                    draft = draft.slot(at + self.command.len() - 1, SCRIPT);
                }
                continue;
            }
            let pieces = word.0.iter().map(|piece| match piece {
                Piece::Text(text) => text.clone(),
                Piece::Hole(hole) => self.of(*hole),
            });
            draft.argv.push(pieces.collect());
            let has = |holes: &[Hole]| {
                word.0
                    .iter()
                    .any(|piece| matches!(piece, Piece::Hole(hole) if holes.contains(hole)))
            };
            if self.script == SCRIPT && has(&[Hole::Script])
                || self.scripted() && has(&[Hole::ShellLine])
            {
                draft = draft.slot(at, SCRIPT);
            }
            if self.target.starts_with("{surface:") && has(&[Hole::Target]) {
                draft = draft.slot(at, self.target);
            }
        }
        draft
    }

    fn scripted(&self) -> bool {
        self.command.last().is_some_and(|last| last == SCRIPT)
    }
}

impl Described {
    /// The command of a layout; what is told where it is a lesser one.
    fn form(&self, layout: Layout) -> Result<(&Template, Option<String>), Failure> {
        let label = &self.0.label;
        let lesser = |other: Layout| {
            Some(format!(
                "{label} has no {}, so it is a {}",
                name(layout),
                name(other)
            ))
        };
        match self.0.layout(layout) {
            Some(LayoutForm::Argv(template)) => Some((template, None)),
            Some(LayoutForm::Like(other)) => self
                .0
                .command_for(layout)
                .map(|template| (template, lesser(*other))),
            None => [Layout::Tab, Layout::Window]
                .into_iter()
                .find_map(|other| Some((self.0.command_for(other)?, lesser(other)))),
        }
        .ok_or_else(|| {
            let message = format!("{label} has no {} and nothing lesser", name(layout));
            Failure::new(Kind::NotSupported, message)
                .hint("describe a tab or a window in the configuration")
        })
    }

    fn splits_exactly(&self) -> bool {
        let targeted = |layout| matches!(self.0.layout(layout), Some(LayoutForm::Argv(template)) if template.has(Hole::Target));
        targeted(Layout::SplitRight) || targeted(Layout::SplitDown)
    }

    /// The commands of a verb.
    fn plan(&self, surface: &SurfaceRef, act: &Act) -> Result<Sequence<Done>, Failure> {
        let template = &self.0;
        let (command, begin) = match act {
            Act::Inject { .. } => (&template.inject, Done::Writes(0)),
            Act::Keys(_) => (&template.inject, Done::Nothing),
            Act::Capture(_) => (&template.capture, Done::Text(String::new())),
            Act::Focus => (&template.focus, Done::Nothing),
            Act::Close => (&template.close, Done::Nothing),
        };
        let texts = match act {
            Act::Inject {
                text,
                enter,
                combined,
            } => keys::writes(text, *enter, *combined),
            Act::Keys(names) => vec![keys::bytes(names)?],
            _ => vec![String::new()],
        };
        let (SurfaceRef::Other { text: target, .. }, Some(command)) = (surface, command) else {
            return Err(not_supported(
                &template.label,
                act,
                "the configuration has no command for it",
            ));
        };
        let mut sequence = Sequence::new(begin);
        for text in texts {
            let values = Values {
                target,
                text: &text,
                ..Values::default()
            };
            let (doing, act) = (format!("{} {surface}", act.verb()), act.clone());
            sequence = sequence.then(values.fill(command).invocation(), move |answer, done| {
                succeeded(&answer, &doing)?;
                match (&act, done) {
                    (_, Done::Writes(writes)) => *writes += 1,
                    (Act::Capture(wanted), Done::Text(text)) => {
                        *text = lines::last(&answer.text(), *wanted);
                    }
                    _ => {}
                }
                Ok(())
            });
        }
        Ok(sequence)
    }
}

impl Backend for Described {
    fn id(&self) -> &str {
        self.0.id.as_str()
    }

    fn label(&self) -> &str {
        &self.0.label
    }

    fn capabilities(&self) -> Capabilities {
        let own = |layout| matches!(self.0.layout(layout), Some(LayoutForm::Argv(_)));
        Capabilities {
            tab: own(Layout::Tab),
            split_right: own(Layout::SplitRight),
            split_down: own(Layout::SplitDown),
            window: own(Layout::Window),
            exact_target: self.splits_exactly(),
            handle: self.0.handle_stdout,
            focus: self.0.focus.is_some(),
            inject: self.0.inject.is_some(),
            keys: self.0.inject.is_some(),
            capture: self.0.capture.is_some(),
            close: self.0.close.is_some(),
            remote: true,
            headless: false,
        }
    }

    fn source(&self) -> BackendSource {
        BackendSource::Config
    }

    fn needs(&self) -> Vec<Need> {
        let first = [
            Layout::Tab,
            Layout::Window,
            Layout::SplitRight,
            Layout::SplitDown,
        ]
        .into_iter()
        .find_map(|layout| self.0.command_for(layout)?.program());
        let program = self.0.available.program.as_deref().or(first);
        program
            .map(|program| Need::Program(program.to_owned()))
            .into_iter()
            .collect()
    }

    fn availability(&self, facts: &Facts) -> Availability {
        if let Some(name) = &self.0.available.env
            && facts.env.get(name.as_str()).is_none_or(String::is_empty)
        {
            return Availability::no(format!("${name} is not set"), None);
        }
        match facts.missing(self.id(), &self.needs()) {
            Some(missing) => Availability::no(missing.reason(self.label()), None),
            None => Availability::yes("the configuration describes it"),
        }
    }

    fn knows_caller(&self, _job: &Job) -> bool {
        false
    }

    fn build(&self, job: &Job) -> Result<Draft, Failure> {
        let (template, lesser) = self.form(job.layout)?;
        let payload = match job.payload(true, usize::MAX) {
            _ if template.has(Hole::Script) => Payload::Script,
            // A template always has a place for a command.
            Payload::Shell => {
                let line = job.shell.line(None, Program::Shell, job.style());
                line.map_or(Payload::Script, |line| Payload::Words(job.shell.wrap(line)))
            }
            payload => payload,
        };
        let scripted = payload == Payload::Script;
        let command = job.words(payload);
        let target = match &job.anchor {
            Anchor::Earlier(item) => format!("{{surface:{item}}}"),
            Anchor::Target(SurfaceRef::Other { text, .. })
            | Anchor::Opened(SurfaceRef::Other { text, .. }) => text.clone(),
            _ => String::new(),
        };
        let mut draft = Values {
            cwd: job.cwd().unwrap_or("."),
            command: &command,
            title: job.request.title.as_deref().unwrap_or_default(),
            script: &job.script_path(),
            target: &target,
            text: "",
        }
        .fill(template);
        if let Some(text) = draft.ambiguous() {
            let message =
                format!("the text {text} would stand in the same word of the command as its slot");
            return Err(Failure::new(Kind::NotSupported, message)
                .hint("give the title or directory a word of its own in the configuration"));
        }
        draft.script = scripted.then(|| job.script_text());
        draft.warnings.extend(lesser);
        Ok(draft)
    }

    fn open(&self, job: &Job) -> Result<BoxedConversation<Opened>, Failure> {
        let (id, handle) = (self.0.id.0.clone(), self.0.handle_stdout);
        let doing = format!("open a surface in {}", self.0.label);
        let mut invocation = self.build(job)?.invocation();
        if job.request.host.is_none() {
            // A terminal may stay in the foreground.
            let dir = job.script.as_ref().and_then(|path| path.rsplit_once('/'));
            invocation.stays = Some(Stays {
                script: dir.map(|(dir, _)| dir.to_owned()),
                answers: handle,
            });
        }
        let label = self.0.label.clone();
        Ok(Box::new(Once::new(invocation, move |answer: Answer| {
            let mut warnings = Vec::new();
            match answer.ended {
                Ended::Stays { started: true } => {}
                Ended::Stays { started: false } => warnings.push(format!(
                    "the command of {label} had not ended in time and was left running, so it is not known whether it opened anything"
                )),
                _ => succeeded(&answer, &doing)?,
            }
            let output = answer.text();
            let text = output.lines().next().unwrap_or_default().trim();
            let surface = (handle && !text.is_empty()).then(|| SurfaceRef::Other {
                backend: id.clone(),
                text: text.to_owned(),
            });
            Ok(Opened {
                surface,
                warnings,
                ..Opened::default()
            })
        })))
    }

    fn steps(&self, surface: &SurfaceRef, act: &Act) -> Result<Vec<Invocation>, Failure> {
        Ok(self.plan(surface, act)?.into_invocations())
    }

    fn act(&self, surface: &SurfaceRef, act: &Act) -> Result<BoxedConversation<Done>, Failure> {
        Ok(Box::new(self.plan(surface, act)?))
    }

    fn list(&self) -> Result<BoxedConversation<Vec<SurfaceInfo>>, Failure> {
        let message = format!(
            "{} cannot list its surfaces: the configuration has no way for it",
            self.0.label
        );
        Err(Failure::new(Kind::NotSupported, message))
    }
}

fn succeeded(answer: &Answer, doing: &str) -> Result<(), Failure> {
    if answer.ok() {
        return Ok(());
    }
    if answer.ended == Ended::TimedOut {
        let message = format!(
            "cannot {doing}: its command did not end in time and was ended; what it opened is not known"
        );
        return Err(Failure::new(Kind::Timeout, message).hint(
            "the command in the configuration file must return once the surface is open; end a terminal that stays with &, or ask a running one",
        ));
    }
    let complaint = answer.complaint();
    let why = complaint
        .lines()
        .next()
        .unwrap_or("its command failed without a word");
    Err(
        Failure::new(Kind::SpawnFailed, format!("cannot {doing}: {why}"))
            .hint("look at the command in the configuration file"),
    )
}

const fn name(layout: Layout) -> &'static str {
    match layout {
        Layout::Tab => "tab",
        Layout::SplitRight => "split to the right",
        Layout::SplitDown => "split downwards",
        Layout::Window => "window",
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use serde_json::{Value, json};

    use super::*;
    use crate::backend::batch::{Planned, Scene, plan};
    use crate::backend::{Found, Registry};
    use crate::config;
    use crate::launch::plan::{Defaults, requests};
    use crate::launch::shell::Shell;
    use crate::launch::step::{Ended, Step};
    use crate::proto::{BackendId, Context, Item, Platform};

    const TEXT: &str = r#"
[backends.demo]
label = "Demo"
available = { program = "demo", env = "DEMO" }
tab = ["demo", "tab", "--cwd={cwd}", "-T", "{title}", "--", "{command}"]
split-right = ["demo", "split", "{target}", "{shell_line}"]
split-down = "split-right"
window = "tab"
handle = { stdout = true }
inject = ["demo", "type", "{target}", "{text}"]
close = ["demo", "close", "{target}"]
"#;

    fn demo() -> Described {
        Described(config::parse(TEXT).unwrap().backends.remove(0))
    }

    fn planned(items: Value) -> Vec<Planned> {
        let registry = Registry::new(&config::parse(TEXT).unwrap());
        let items: Vec<Item> = serde_json::from_value(items).unwrap();
        let scene = Scene {
            registry: &registry,
            context: &Context::default(),
            availability: &BTreeMap::new(),
            shell: &Shell::default(),
            handles: true,
            focus: true,
        };
        let defaults = Defaults {
            backend: Some(&"demo".into()),
            ..Defaults::default()
        };
        plan(&scene, requests(&items, &defaults).unwrap())
            .into_iter()
            .map(Result::unwrap)
            .collect()
    }

    #[test]
    fn holes_are_filled_and_slots_named() {
        let planned = planned(json!([
            { "cwd": "/a b", "command": ["x"], "title": "{target}" },
            { "command": ["y"], "env": { "A": "1" } },
            { "command": ["z"], "layout": "split-down" },
        ]));
        assert_eq!(
            planned[0].draft.argv,
            [
                "demo",
                "tab",
                "--cwd=/a b",
                "-T",
                "{target}",
                "--",
                "zsh",
                "-ilc",
                "builtin cd -q '/a b' && exec 'x'"
            ]
        );
        assert_eq!(
            planned[1].draft.argv,
            ["demo", "split", "{surface:0}", "/bin/sh '{script}'"]
        );
        let slots: Vec<_> = planned[1]
            .draft
            .slots
            .iter()
            .map(|slot| slot.text.as_str())
            .collect();
        assert_eq!(slots, ["{surface:0}", "{script}"]);
        assert_eq!(
            planned[2].draft.warnings.len(),
            1,
            "a lesser layout is told"
        );
    }

    #[test]
    fn what_it_prints_is_the_surface() {
        let job = planned(json!([{ "command": ["x"] }])).remove(0).job;
        let mut opening = demo().open(&job).unwrap();
        assert!(matches!(opening.next(None), Step::Run(_)));
        let answer = Answer {
            ended: Ended::Code(0),
            stdout: b"pane 7\nmore\n".to_vec(),
            stderr: Vec::new(),
            report: Vec::new(),
        };
        let Step::Done(opened) = opening.next(Some(answer)) else {
            panic!("it failed")
        };
        let surface = opened.surface.unwrap();
        assert_eq!(surface.to_string(), "demo:pane 7");
        let steps = demo().steps(&surface, &Act::Close).unwrap();
        assert_eq!(steps[0].argv, ["demo", "close", "pane 7"]);
        let failure = demo().steps(&surface, &Act::Focus).unwrap_err();
        assert_eq!(failure.kind(), Kind::NotSupported);
    }

    #[test]
    fn it_is_available_where_all_that_is_asked_for_is_there() {
        let facts = |value: &str, seen: bool| Facts {
            platform: Platform::Linux,
            env: [("DEMO".to_owned(), value.to_owned())].into(),
            found: if seen {
                Found::Seen(demo().needs().into_iter().collect())
            } else {
                Found::Listed([BackendId::from("tmux")].into())
            },
            in_tmux: false,
            on_host: false,
        };
        assert!(demo().availability(&facts("1", true)).available);
        assert!(!demo().availability(&facts("", true)).available);
        assert!(!demo().availability(&facts("1", false)).available);
    }
}
