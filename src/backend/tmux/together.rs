//! Several surfaces with one command: most of what a surface costs is the client that asks for it.
//!
//! tmux carries out a sequence in order and drops the rest where a command fails; each that succeeds prints its line.

use super::Caller;
use super::build::{build, place, server};
use super::open::{opened, unknown};
use crate::backend::{Anchor, Job, Together};
use crate::launch::step::{Answer, BoxedConversation, Ended, Invocation, Once};
use crate::proto::SurfaceRef;
use crate::tmux::open::NewPane;
use crate::tmux::server::fits;

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
    let jobs = jobs.to_vec();
    let invocation = Invocation {
        env,
        ..Invocation::new(argv)
    };
    Some(Box::new(Once::new(invocation, move |answer| {
        Ok(read(&jobs, &answer))
    })))
}

fn read(jobs: &[Job], answer: &Answer) -> Together {
    let text = answer.text();
    let panes = text.split_inclusive('\n').map_while(NewPane::parse);
    let opened: Vec<_> = jobs
        .iter()
        .zip(panes)
        .map(|(job, pane)| opened(job, &pane))
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
    Together { opened, rest }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::launch::shell::Shell;
    use crate::launch::step::Step;
    use crate::proto::{Kind, Layout};

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
        assert_eq!(separators, 2);
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
        let done = read(&jobs, &answer(Ended::Code(0), &[1, 2, 3]));
        assert_eq!((done.opened.len(), done.rest), (3, None));
        let short = read(&jobs, &answer(Ended::Code(0), &[1]));
        assert!(short.rest.is_some());
        let half = read(&jobs, &answer(Ended::Code(1), &[1]));
        assert_eq!((half.opened.len(), half.rest), (1, None));
        assert_eq!(half.opened[0].pid, Some(91));
        let lost = read(&jobs, &answer(Ended::TimedOut, &[1]));
        assert_eq!(lost.opened.len(), 1);
        assert_eq!(
            lost.rest.map(|failure| failure.kind()),
            Some(Kind::StateUnknown)
        );
    }
}
