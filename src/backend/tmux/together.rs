//! Several surfaces with one command: most of what a surface costs is the client that asks for it.
//!
//! tmux carries out a sequence in order and drops the rest where a command fails; each that succeeds prints its line.

use super::Caller;
use super::build::{build, place, server};
use super::lookout::{Look, Lookout};
use super::open::{opened, unknown};
use crate::backend::{Anchor, Job, Together};
use crate::launch::step::{Answer, BoxedConversation, Conversation, Ended, Invocation, Step};
use crate::proto::{Failure, Kind, SurfaceRef};
use crate::tmux::open::NewPane;
use crate::tmux::server::fits;

/// What stands before each pane that is listed after the last was opened.
const LISTED: &str = "surfaced: ";

/// A look at all panes in the same message.
const LOOK: &str = "surfaced: #{pane_id}";

/// Whether one command opens it, whose place is known by id and which needs nothing afterwards.
pub(super) fn joins(job: &Job) -> bool {
    let placed = if job.layout.is_split() {
        job.request.title.is_none()
            && matches!(
                job.anchor,
                Anchor::Caller | Anchor::Opened(SurfaceRef::Tmux(_))
            )
    } else {
        job.session.is_some() || Caller::of(job).is_some()
    };
    job.handles && placed
}

/// `None`: they are for several servers, or too long for one message.
pub(super) fn open(jobs: &[Job]) -> Option<BoxedConversation<Together>> {
    let first = jobs.first()?;
    let there = server(first);
    if jobs.iter().any(|job| server(job) != there) {
        return None;
    }
    let env = place(first);
    let mut argv = there.words();
    let before = argv.len();
    for (index, job) in jobs.iter().enumerate() {
        if index > 0 {
            argv.push(";".to_owned());
        }
        argv.extend_from_slice(build(job).argv.get(before..)?);
    }
    if !fits(&argv) {
        return None;
    }
    let looked = [";", "list-panes", "-a", "-F", LOOK].map(str::to_owned);
    if fits(&[argv.as_slice(), &looked].concat()) {
        argv.extend(looked);
    }
    let invocation = Invocation {
        env,
        ..Invocation::new(argv)
    };
    Some(Box::new(Opening {
        jobs: jobs.to_vec(),
        state: State::Begin(invocation),
    }))
}

/// Surfaces on their way.
struct Opening {
    jobs: Vec<Job>,
    state: State,
}

#[derive(Clone)]
enum State {
    Begin(Invocation),
    /// They are being made.
    Opening,
    /// They are looked at again.
    Looking(Vec<NewPane>, Together, Lookout),
}

impl Opening {
    fn opened(&mut self, answer: &Answer) -> Step<Together> {
        let (panes, together) = read(&self.jobs, answer);
        if !panes.iter().any(|pane| pane.exits_unattached) && are_listed(&panes, answer) {
            return Step::Done(together);
        }
        match Lookout::begin(panes.clone(), false) {
            Some((lookout, question)) => {
                self.state = State::Looking(panes, together, lookout);
                Step::Run(question)
            }
            None => Step::Done(together),
        }
    }
}

impl Conversation for Opening {
    type Output = Together;

    fn next(&mut self, answer: Option<Answer>) -> Step<Together> {
        match (self.state.clone(), answer) {
            (State::Looking(panes, mut together, mut lookout), Some(answer)) => {
                match lookout.next(&answer) {
                    Look::Next(question) => {
                        self.state = State::Looking(panes, together, lookout);
                        Step::Run(question)
                    }
                    Look::Fine => Step::Done(together),
                    // What closes one of them closes those behind it.
                    Look::Lost(lost, failure) => {
                        let first = panes.iter().position(|pane| lost.contains(&pane.pane));
                        together.opened.truncate(first.unwrap_or_default());
                        together.rest = Some(failure);
                        Step::Done(together)
                    }
                }
            }
            (State::Begin(invocation), _) => {
                self.state = State::Opening;
                Step::Run(invocation)
            }
            (State::Opening, Some(answer)) => self.opened(&answer),
            (State::Opening | State::Looking(..), None) => Step::Failed(Failure::new(
                Kind::Internal,
                "a conversation was continued without an answer",
            )),
        }
    }
}

/// Whether all were still there when the command had been carried out.
fn are_listed(panes: &[NewPane], answer: &Answer) -> bool {
    let text = answer.text();
    let listed: Vec<&str> = text
        .lines()
        .filter_map(|line| line.strip_prefix(LISTED))
        .collect();
    panes
        .iter()
        .all(|pane| listed.contains(&pane.pane.to_string().as_str()))
}

fn read(jobs: &[Job], answer: &Answer) -> (Vec<NewPane>, Together) {
    let text = answer.text();
    let panes: Vec<_> = text
        .split_inclusive('\n')
        .map_while(NewPane::parse)
        .collect();
    let opened: Vec<_> = jobs
        .iter()
        .zip(&panes)
        .map(|(job, pane)| opened(job, pane))
        .collect();
    let known = match answer.ended {
        Ended::Code(0) => opened.len() == jobs.len(),
        Ended::Code(_) => true,
        Ended::Signal(_) | Ended::TimedOut | Ended::Stays { .. } | Ended::Lost => false,
    };
    let unknown = |job| {
        let message = "tmux gave no full answer, so it is not known whether the surface was opened";
        unknown(job, message.to_owned())
    };
    let rest = jobs.first().filter(|_| !known).map(unknown);
    (panes, Together { opened, rest })
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::launch::shell::Shell;
    use crate::proto::Layout;

    fn job() -> Job {
        let request =
            serde_json::from_value(serde_json::json!({ "backend": "tmux", "layout": "tab" }));
        Job {
            request: request.unwrap(),
            layout: Layout::Tab,
            anchor: Anchor::None,
            shell: Shell::default(),
            handles: true,
            focus: true,
            report: false,
            caller: Arc::default(),
            session: Some("$0".to_owned()),
            script: None,
            extension: None,
        }
    }

    #[test]
    fn one_command_opens_what_fits_into_it() {
        let jobs = vec![job(); 3];
        let Some(mut conversation) = open(&jobs) else {
            panic!("they fit")
        };
        let Step::Run(invocation) = conversation.next(None) else {
            panic!("nothing is run")
        };
        let separators = invocation.argv.iter().filter(|word| *word == ";").count();
        assert_eq!(separators, 3);
        assert!(open(&vec![job(); 200]).is_none());
        let mut elsewhere = job();
        elsewhere.layout = Layout::SplitRight;
        elsewhere.anchor = Anchor::Opened("tmux:8.@1.%2;socket=/t/s".parse().unwrap());
        assert!(joins(&elsewhere));
        assert!(open(&[job(), elsewhere]).is_none());
        assert!(!joins(&Job {
            session: None,
            ..job()
        }));
    }

    #[test]
    fn what_was_printed_was_opened_and_the_rest_was_not() {
        let line = |n: u32| format!("8 $0 @{n} %{n} 9{n} 1 main:/t/s\n");
        let jobs = vec![job(); 3];
        let answer = |ended, lines: &[u32]| Answer {
            ended,
            stdout: lines
                .iter()
                .map(|n| line(*n))
                .collect::<String>()
                .into_bytes(),
            stderr: b"no space for new pane".to_vec(),
            report: Vec::new(),
        };
        let done = read(&jobs, &answer(Ended::Code(0), &[1, 2, 3])).1;
        assert_eq!((done.opened.len(), done.rest), (3, None));
        let short = read(&jobs, &answer(Ended::Code(0), &[1])).1;
        assert!(short.rest.is_some());
        let half = read(&jobs, &answer(Ended::Code(1), &[1])).1;
        assert_eq!((half.opened.len(), half.rest), (1, None));
        assert_eq!(half.opened[0].pid, Some(91));
        let lost = read(&jobs, &answer(Ended::TimedOut, &[1])).1;
        assert_eq!(lost.opened.len(), 1);
        assert_eq!(
            lost.rest.map(|failure| failure.kind()),
            Some(Kind::StateUnknown)
        );
    }
}
