//! In a surface on a host.
//!
//! A link can break at any moment, and a terminal over there does not say how a program ended. So the program is started by a
//! few lines of shell that report in a directory of this start, over there: making that directory is the permit. Whoever makes
//! it first decides: the start, or the daemon that gives it up, after which nothing is started any more.

use std::time::Duration;

use tokio::time::{Instant, sleep};
use tokio_util::sync::CancellationToken;

use super::surface::{AFTER, exit, only, params};
use super::{Places, Sight, Start};
use crate::launch::quote::{Style, posix};
use crate::launch::step::{Answer, Ended, Invocation};
use crate::proto::{Argv, BackendId, Failure, HostAlias, Kind, Layout, SurfaceRef, TmuxPane, Word};
use crate::service::agents::record::Run;
use crate::service::agents::verdict::End;
use crate::service::seats::there::{self, Named, PROCESSES, ask};

/// The directory of a start, which `$1` names.
const WHERE: &str = r#"root=/tmp/surfaced-$(id -u)
d=$root/agent-$1
take() (
  umask 077
  mkdir "$root" 2>/dev/null
  [ -d "$root" ] && [ ! -L "$root" ] && [ -O "$root" ] && mkdir "$d" 2>/dev/null
)
"#;

/// Starts a program and reports; the rest of the words is the command.
const REPORTER: &str = r#"shift
take || { echo "surfaced: this start was given up" >&2; exit 75; }
[ "$TMUX_PANE" ] && tmux display-message -p -t "$TMUX_PANE" '#{pid} #{window_id} #{pane_id} #{socket_path}' >"$d/place" 2>/dev/null
"#;

/// Gives a start up that was not begun.
const GIVE_UP: &str = r#"take && : >"$d/given-up"
"#;

/// Says what is known of a start. The process is looked at first: its status is written before it ends.
const LOOK: &str = r#"pid= one=
[ -f "$d/pid" ] && read -r pid <"$d/pid" && one=$(surfaced_one "$pid")
[ -s "$d/place" ] && read -r place <"$d/place" && printf 'place %s\n' "$place"
if [ -f "$d/status" ]; then
  read -r status <"$d/status"
  printf 'status %s\n' "$status"
  [ -f "$d/words" ] && while IFS= read -r line; do printf 'words %s\n' "$line"; done <"$d/words"
elif [ "$one" ]; then printf 'lives %s\n' "$one"
elif [ "$pid" ]; then echo ended
elif [ -f "$d/given-up" ]; then echo given-up
elif [ -d "$d" ]; then echo begun
else echo none
fi
echo seen"#;

/// Removes what an ended start reported. What was given up stays given up.
const FORGET: &str = r#"[ -f "$d/given-up" ] || rm -rf -- "$d""#;

/// How long a surface may take to run its program: the person's rc files come first.
const REPORT: Duration = Duration::from_secs(10);

/// How often a host is asked while something is waited for: each time is a command over there.
const GLANCE: Duration = Duration::from_millis(250);

/// The same while nothing is expected.
const WATCH: Duration = Duration::from_secs(2);

/// The same of a host that did not answer.
const SILENT: Duration = Duration::from_secs(5);

/// How long a program may take to end after its surface was closed, and then after a kill.
const PATIENCE: Duration = Duration::from_secs(2);

/// What a host says of a start.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Told {
    Lives(Named),
    Ended(End),
    /// It was begun, and has not said more yet.
    Begun,
    /// It was given up, and is never begun.
    GivenUp,
    /// Nobody has begun it.
    Nothing,
}

/// The same with the pane that it is in, where it said so.
type Report = (Told, Option<TmuxPane>);

impl Places {
    pub(super) async fn start_there(
        &self,
        start: Start,
        host: Word,
        (backend, layout): (Option<BackendId>, Option<Layout>),
        run: &mut Run,
    ) -> Result<Option<String>, Failure> {
        let agent = start.agent.clone();
        let alias = alias(&host)?;
        let command = reporting(&name(run, &agent), &start.argv)?;
        let params = params(start.clone(), command, (backend, Some(host), layout), run);
        let opened = self
            .opener
            .open(params, start.caller, &CancellationToken::new())
            .await
            .and_then(only);
        let note = match opened {
            Ok(result) => {
                run.surface.clone_from(&result.surface);
                run.attach.clone_from(&result.attach);
                result.warnings.map(|warnings| warnings.join("; "))
            }
            // It may have been handed over before the link broke.
            Err(failure) if failure.kind() == Kind::StateUnknown => {
                match self.report(&alias, run, &agent, GIVE_UP).await {
                    Ok((Told::GivenUp, _)) => {
                        return Err(Failure::new(Kind::HostUnreachable, failure.message)
                            .hint("nothing was started over there; call again"));
                    }
                    Ok(_) => None,
                    // It is looked for until the host answers again.
                    Err(why) => {
                        run.doubt = Some(why);
                        None
                    }
                }
            }
            Err(failure) => return Err(failure),
        };
        let end = Instant::now() + REPORT;
        while run.doubt.is_none() && run.there.is_none() && Instant::now() < end {
            match self.report(&alias, run, &agent, "").await {
                Ok((told, place)) => {
                    self.sits_there(run, &alias, &told, place);
                    if matches!(told, Told::Ended(_)) {
                        break;
                    }
                }
                Err(_) => break,
            }
            if run.there.is_none() {
                sleep(GLANCE).await;
            }
        }
        Ok(note)
    }

    /// Writes down what a program said of where it is.
    fn sits_there(&self, run: &mut Run, host: &HostAlias, told: &Told, place: Option<TmuxPane>) {
        if let Told::Lives(process) = told {
            run.there = Some(process.word());
        }
        let Some(place) = place else { return };
        if run.attach.is_none()
            && let Some(pane) = place.pane
        {
            let socket = posix(&place.socket, Style::Bare).into_owned();
            let line = format!("tmux -S {socket} attach -t '%{pane}'");
            run.attach = Some(self.links.attach(host, &line));
        }
        if run.surface.is_none() {
            run.surface = Some(SurfaceRef::Tmux(place));
        }
    }

    /// Looks, and writes down where it is, where that was not known. A host that does not answer proves nothing.
    pub(super) async fn see_there(&self, run: &mut Run, host: &str, agent: &str) -> Sight {
        let Ok(host) = HostAlias::parse(host) else {
            return Sight::Unknown(format!("{host:?} is no host"));
        };
        let mut told = self.report(&host, run, agent, "").await;
        if let Ok((Told::Nothing, _)) = told {
            // What was never begun, or is not known over there any more, will not be begun either.
            told = self.report(&host, run, agent, GIVE_UP).await;
        }
        let (told, place) = match told {
            Ok(report) => report,
            Err(why) => return Sight::Unknown(why),
        };
        match &told {
            Told::Lives(process)
                if run.there.as_ref().is_some_and(|own| *own != process.word()) =>
            {
                return Sight::Ended(End::default());
            }
            Told::Ended(end) => return Sight::Ended(end.clone()),
            Told::GivenUp => return Sight::Never,
            Told::Lives(_) | Told::Begun | Told::Nothing => {}
        }
        self.sits_there(run, &host, &told, place);
        Sight::Lives
    }

    /// Waits until it is time for another look. A host is not asked more often for being silent.
    pub(super) async fn wait_there(run: &Run) {
        sleep(if run.doubt.is_some() { SILENT } else { WATCH }).await;
    }

    pub(super) async fn end_there(
        &self,
        run: &Run,
        host: &str,
        agent: &str,
    ) -> Result<(), Failure> {
        let host = HostAlias::parse(host)
            .map_err(|error| Failure::new(Kind::HostInvalid, error.to_string()))?;
        let unknown = |why: String| {
            Failure::new(
                Kind::StateUnknown,
                format!("whether the program of the agent on {host} ended is not known: {why}"),
            )
            .hint(format!(
                "nothing was assumed; close it again once `surfaced hosts check {host}` reaches it"
            ))
        };
        let (told, place) = self
            .report(&host, run, agent, GIVE_UP)
            .await
            .map_err(unknown)?;
        let process = match told {
            Told::Lives(process) if run.there.as_ref().is_none_or(|own| *own == process.word()) => {
                Some(process)
            }
            Told::Begun => None,
            _ => return Ok(()),
        };
        // Before its surface is closed: afterwards its program may be gone, and with it the way to what came of it.
        let mut members = Vec::new();
        if let Some(process) = &process {
            let answer = self
                .ask(&host, there::family(process))
                .await
                .map_err(unknown)?;
            members = there::members(&answer).unwrap_or_else(|| vec![process.word()]);
        }
        let surface = run.surface.clone().or(place.map(SurfaceRef::Tmux));
        if let Some(surface) = surface
            && self.close(&surface).await.is_ok()
        {
            let end = Instant::now() + PATIENCE;
            while Instant::now() < end
                && matches!(
                    self.report(&host, run, agent, "").await,
                    Ok((Told::Lives(_), _))
                )
            {
                sleep(GLANCE).await;
            }
        }
        let end = Instant::now() + PATIENCE;
        while !members.is_empty() {
            let answer = self
                .ask(&host, there::kill(&members))
                .await
                .map_err(unknown)?;
            if there::ended(&answer) {
                break;
            }
            if Instant::now() >= end {
                return Err(Failure::new(
                    Kind::Timeout,
                    format!("the program of the agent on {host} still runs after a kill"),
                ));
            }
            members = there::members(&answer).unwrap_or(members);
        }
        Ok(())
    }

    pub(super) async fn forget_there(&self, run: &Run, host: &str, agent: &str) {
        if let Ok(host) = HostAlias::parse(host) {
            // What is left there hurts nobody.
            let _ = self
                .ask(&host, ask(&[WHERE, FORGET], [name(run, agent)]))
                .await;
        }
    }

    async fn report(
        &self,
        host: &HostAlias,
        run: &Run,
        agent: &str,
        first: &str,
    ) -> Result<Report, String> {
        let question = ask(&[PROCESSES, WHERE, first, LOOK], [name(run, agent)]);
        let answer = self.ask(host, question).await?;
        read(&answer, host).ok_or_else(|| {
            format!(
                "{host} gave no answer about the agent that can be read: {}",
                answer.complaint()
            )
        })
    }

    async fn ask(&self, host: &HostAlias, invocation: Invocation) -> Result<Answer, String> {
        let answer = async { self.links.to(Some(host)).await?.run(invocation).await };
        let answer = answer.await.map_err(|failure| failure.message)?;
        match answer.ended {
            Ended::Lost => Err(format!("the link to {host} broke before it answered")),
            Ended::TimedOut | Ended::Stays { .. } => Err(format!("{host} did not answer in time")),
            Ended::Code(_) | Ended::Signal(_) => Ok(answer),
        }
    }
}

fn alias(host: &Word) -> Result<HostAlias, Failure> {
    HostAlias::parse(host.as_str())
        .map_err(|error| Failure::new(Kind::HostInvalid, error.to_string()).about("place.host"))
}

fn name(run: &Run, agent: &str) -> String {
    format!("{agent}-{}", run.number)
}

/// The command that starts this one over there and reports.
fn reporting(name: &str, argv: &Argv) -> Result<Argv, Failure> {
    let script = [WHERE, REPORTER, AFTER].concat();
    let head = ["/bin/sh", "-c", &script, "surfaced-agent", name].map(Word::parse);
    head.into_iter()
        .collect::<Result<Vec<_>, _>>()
        .and_then(|mut words| {
            words.extend(argv.words().iter().cloned());
            Argv::try_from(words)
        })
        .map_err(|error| Failure::params("", error.to_string()))
}

/// Reads an answer. `None`: it is not whole.
fn read(answer: &Answer, host: &HostAlias) -> Option<Report> {
    let text = answer.text();
    if !answer.ok() || text.lines().last() != Some("seen") {
        return None;
    }
    let (mut told, mut place, mut words) = (None, None, Vec::new());
    for line in text.lines() {
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        match word {
            "place" => place = pane(rest, host),
            "words" => words.push(rest),
            "status" => {
                told = Some(Told::Ended(End {
                    exit: exit(rest.trim().parse().ok()?),
                    ..End::default()
                }));
            }
            "lives" => {
                let mut fields = rest.split(' ');
                told = Some(Told::Lives(Named {
                    pid: fields.next()?.parse().ok()?,
                    start: fields.nth(2)?.to_owned(),
                }));
            }
            "ended" => told = Some(Told::Ended(End::default())),
            "given-up" => told = Some(Told::GivenUp),
            "begun" => told = Some(Told::Begun),
            "none" => told = Some(Told::Nothing),
            _ => {}
        }
    }
    let mut told = told?;
    if let Told::Ended(end) = &mut told {
        end.words = words.join("\n");
    }
    Some((told, place))
}

fn pane(text: &str, host: &HostAlias) -> Option<TmuxPane> {
    let mut fields = text.splitn(4, ' ');
    Some(TmuxPane {
        server: fields.next()?.parse().ok()?,
        window: fields.next()?.strip_prefix('@')?.parse().ok()?,
        pane: Some(fields.next()?.strip_prefix('%')?.parse().ok()?),
        socket: fields.next()?.to_owned(),
        host: Some(host.clone()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(text: &str) -> Answer {
        Answer {
            ended: Ended::Code(0),
            stdout: text.as_bytes().to_vec(),
            stderr: Vec::new(),
            report: Vec::new(),
        }
    }

    #[test]
    fn a_report_is_read_whole_or_not_at_all() {
        let zion = HostAlias::parse("zion").unwrap();
        let told = |text: &str| read(&answer(text), &zion).map(|(told, _)| told);
        assert_eq!(told("none\nseen\n"), Some(Told::Nothing));
        assert_eq!(told("none\n"), None, "it was cut off");
        assert_eq!(told("seen\n"), None);
        assert_eq!(
            told("lives 7 1 0 4711 mine\nseen\n"),
            Some(Told::Lives(Named {
                pid: 7,
                start: "4711".to_owned()
            }))
        );
        let (told, place) = read(
            &answer("place 9 @1 %2 /tmp/a b\nstatus 3\nwords seen\nwords boom\nseen\n"),
            &zion,
        )
        .unwrap();
        let Told::Ended(end) = told else {
            panic!("{told:?}")
        };
        assert_eq!(
            (end.exit.exit_code, end.words.as_str()),
            (Some(3), "seen\nboom")
        );
        let place = place.unwrap();
        assert_eq!((place.server, place.window, place.pane), (9, 1, Some(2)));
        assert_eq!(place.socket, "/tmp/a b");
    }
}
