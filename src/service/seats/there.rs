//! What a host is asked about its own processes and files, by its own `/bin/sh`: constant scripts, whose words are data, and
//! the readers of their answers.

use std::time::Duration;

use crate::launch::step::{Answer, Invocation};
use crate::proto::{Env, EnvName, Word};

/// How long such a question may take: none of them waits for anything longer than a second.
const LIMIT: Duration = Duration::from_secs(15);

/// Functions over processes. A process is named by `PID:START`, START in the words of its system: a number that is used again
/// is another process. Linux is read from /proc, since small systems have no ps; others are asked with ps.
pub(in crate::service) const PROCESSES: &str = r#"
surfaced_stat() {
  line=
  { while IFS= read -r more; do line="$line $more"; done <"/proc/$1/stat"; } 2>/dev/null
  [ "$line" ] || return
  case $line in *") "*) ;; *) return ;; esac
  whose=other
  [ -O "/proc/$1" ] && whose=mine
  pid=$1
  set -f
  set -- ${line##*") "}
  set +f
  case $1 in Z | X | x) return ;; esac
  printf '%s %s %s %s %s\n' "$pid" "$2" "$5" "${20}" "$whose"
}
surfaced_ps() {
  me=$(id -u)
  LC_ALL=C ps "$@" -o pid= -o ppid= -o tty= -o stat= -o uid= -o lstart= 2>/dev/null |
    while read -r pid parent tty state uid start; do
      case $state in Z*) continue ;; esac
      case $tty in '?'* | -) tty=0 ;; esac
      whose=other
      [ "$uid" = "$me" ] && whose=mine
      set -- $start
      printf '%s %s %s %s_%s_%s_%s_%s %s\n' "$pid" "$parent" "$tty" "$1" "$2" "$3" "$4" "$5" "$whose"
    done
}
surfaced_one() {
  if [ -r /proc/self/stat ]; then surfaced_stat "$1"; else surfaced_ps -p "$1"; fi
}
surfaced_all() {
  if [ -r /proc/self/stat ]; then
    for dir in /proc/[0-9]*; do surfaced_stat "${dir#/proc/}"; done
  else
    surfaced_ps -A
  fi
}
surfaced_grow() {
  parents=' '
  while read -r pid parent tty start whose; do
    case $members in *" $pid:$start "*) parents="$parents$pid " ;; esac
  done <<END
$all
END
  grew=yes
  while [ "$grew" ]; do
    grew=
    while read -r pid parent tty start whose; do
      [ "$whose" = mine ] || continue
      case $members in *" $pid:$start "*) continue ;; esac
      case $parents in *" $parent "*) members="$members$pid:$start " parents="$parents$pid " grew=yes ;; esac
    done <<END
$all
END
  done
}
surfaced_pause() { sleep "$1" 2>/dev/null || sleep 1; }
"#;

/// Those that are a tmux: numbers are used again.
const SEE_TMUX: &str = r#"surfaced_name() {
  if [ -r "/proc/$1/comm" ]; then cat "/proc/$1/comm"; else LC_ALL=C ps -p "$1" -o comm=; fi 2>/dev/null
}
for pid in "$@"; do
  name=$(surfaced_name "$pid")
  case ${name##*/} in *tmux*) surfaced_one "$pid" ;; esac
done
echo seen"#;

const SEE: &str = r#"for pid in "$@"; do surfaced_one "$pid"; done
echo seen"#;

/// The root, where it is still that process, and whatever else of the person's has its terminal.
const FAMILY: &str = r#"root=$1 device=
members=' '
all=$(surfaced_all)
while read -r pid parent tty start whose; do
  if [ "$pid:$start" = "$root" ]; then
    members="$members$pid:$start " device=$tty
  fi
done <<END
$all
END
if [ "$device" ] && [ "$device" != 0 ]; then
  while read -r pid parent tty start whose; do
    [ "$whose" = mine ] && [ "$tty" = "$device" ] || continue
    case $members in *" $pid:$start "*) ;; *) members="$members$pid:$start " ;; esac
  done <<END
$all
END
fi
surfaced_grow
for member in $members; do printf 'member %s\n' "$member"; done
echo seen"#;

/// Kills all of it, again and again until none of it is left; says what it knows by then, and what is left after a second.
const KILL: &str = r#"members=" $* "
round=0
while :; do
  all=$(surfaced_all)
  surfaced_grow
  left=
  while read -r pid parent tty start whose; do
    case $members in *" $pid:$start "*) kill -9 "$pid" 2>/dev/null; left=yes ;; esac
  done <<END
$all
END
  [ "$left" ] || { echo ended; exit; }
  round=$((round + 1))
  [ "$round" -lt 20 ] || break
  surfaced_pause 0.05
done
for member in $members; do printf 'member %s\n' "$member"; done
echo left"#;

/// What a seat begins with there, and whether it can begin.
const BASE: &str = r#"for name in PATH HOME USER LOGNAME SHELL LANG; do
  eval "[ \"\${$name+set}\" ] && printf '%s=%s\\0' $name \"\$$name\""
done
[ "$1" ] || set -- "$HOME" "$2"
if ! cd -- "$1" 2>/dev/null; then
  printf 'missing=cwd\0'
else
  case $2 in */*) [ -f "$2" ] || printf 'missing=program\0' ;; esac
fi
command -v tmux >/dev/null 2>&1 || printf 'missing=tmux\0'
printf 'read=all\0'"#;

/// A process of a host: its number and when it started, in that host's own words.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(in crate::service) struct Named {
    /// Its number.
    pub pid: u32,
    /// When it started.
    pub start: String,
}

impl Named {
    /// Both as one word.
    pub(in crate::service) fn word(&self) -> String {
        format!("{}:{}", self.pid, self.start)
    }
}

/// A question of these scripts one after the other, with these words.
pub(in crate::service) fn ask(
    script: &[&str],
    words: impl IntoIterator<Item = String>,
) -> Invocation {
    let script = script.concat();
    let head = [
        "/bin/sh".to_owned(),
        "-c".to_owned(),
        script,
        "surfaced-ask".to_owned(),
    ];
    Invocation {
        timeout: Some(LIMIT),
        ..Invocation::new(head.into_iter().chain(words))
    }
}

/// Asks which of these numbers are processes now.
pub(super) fn see(pids: &[u32]) -> Invocation {
    ask(&[PROCESSES, SEE], pids.iter().map(u32::to_string))
}

/// Asks which of these numbers are processes of tmux now.
pub(super) fn see_tmux(pids: &[u32]) -> Invocation {
    ask(&[PROCESSES, SEE_TMUX], pids.iter().map(u32::to_string))
}

/// Those that are. `None`: the answer is not whole, so that nothing follows from who is not in it.
pub(super) fn seen(answer: &Answer) -> Option<Vec<Named>> {
    let text = whole(answer, "seen")?;
    text.lines()
        .filter(|line| *line != "seen")
        .map(|line| {
            let mut words = line.split(' ');
            Some(Named {
                pid: words.next()?.parse().ok()?,
                start: words.nth(2)?.to_owned(),
            })
        })
        .collect()
}

/// Asks for everything that came of a process and still runs.
pub(in crate::service) fn family(root: &Named) -> Invocation {
    ask(&[PROCESSES, FAMILY], [root.word()])
}

/// Kills these and what came of them.
pub(in crate::service) fn kill(members: &[String]) -> Invocation {
    ask(&[PROCESSES, KILL], members.iter().cloned())
}

/// The members that an answer names. `None`: it is not whole.
pub(in crate::service) fn members(answer: &Answer) -> Option<Vec<String>> {
    let text = whole(answer, "seen").or_else(|| whole(answer, "left"))?;
    let members = text.lines().filter_map(|line| line.strip_prefix("member "));
    Some(members.map(str::to_owned).collect())
}

/// Whether a kill says that nothing is left.
pub(in crate::service) fn ended(answer: &Answer) -> bool {
    whole(answer, "ended").is_some()
}

fn whole(answer: &Answer, last: &str) -> Option<String> {
    let text = answer.text();
    (answer.ok() && text.lines().last() == Some(last)).then_some(text)
}

/// Asks for what a seat of this directory, empty: the home, and program begins with.
pub(super) fn base(cwd: &str, program: &str) -> Invocation {
    ask(&[BASE], [cwd.to_owned(), program.to_owned()])
}

/// What a host says of a seat that is to be.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Base {
    /// Its own PATH, HOME, USER, LOGNAME, SHELL and LANG.
    pub env: Env,
    /// The directory cannot be entered.
    pub no_cwd: bool,
    /// The program, which is named by a path, is not there.
    pub no_program: bool,
    /// There is no tmux to make a seat with.
    pub no_tmux: bool,
}

/// Reads the answer to [`base`]. `None`: it is not whole.
pub(super) fn read_base(answer: &Answer) -> Option<Base> {
    let mut base = Base::default();
    let mut whole = false;
    for pair in answer.stdout.split(|byte| *byte == 0) {
        let Some((name, value)) = std::str::from_utf8(pair)
            .ok()
            .and_then(|pair| pair.split_once('='))
        else {
            continue;
        };
        match (name, value) {
            ("missing", "cwd") => base.no_cwd = true,
            ("missing", "tmux") => base.no_tmux = true,
            ("missing", _) => base.no_program = true,
            ("read", _) => whole = true,
            _ => {
                if let (Ok(name), Ok(value)) = (EnvName::parse(name), Word::parse(value)) {
                    base.env.insert(name, value);
                }
            }
        }
    }
    (answer.ok() && whole).then_some(base)
}

#[cfg(test)]
mod tests {
    use std::process::{Child, Stdio};

    use super::*;
    use crate::transport::{Local, Transport};

    async fn here(invocation: Invocation) -> Answer {
        Local::new("/usr/bin:/bin").run(invocation).await.unwrap()
    }

    fn sh(line: &str) -> Child {
        #[expect(clippy::disallowed_methods, reason = "the test needs processes to end")]
        let mut child = std::process::Command::new("sh")
            .args(["-c", line])
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut up = [0; 3];
        std::io::Read::read_exact(child.stdout.as_mut().unwrap(), &mut up).unwrap();
        child
    }

    #[tokio::test(flavor = "current_thread")]
    async fn a_tree_that_ignores_signals_is_ended_and_nothing_else_is() {
        let mut root = sh("trap '' HUP TERM INT; (trap '' HUP TERM; sleep 300) & echo up; wait");
        let mut bystander = sh("echo up; exec sleep 300");
        let both = seen(&here(see(&[root.id(), bystander.id(), 4_000_000])).await).unwrap();
        assert_eq!(both.len(), 2, "{both:?}");
        let tree = members(&here(family(&both[0])).await).unwrap();
        assert!(tree.len() >= 2, "{tree:?}");
        let other = Named {
            start: "1".to_owned(),
            ..both[0].clone()
        };
        let nobody = members(&here(family(&other)).await).unwrap();
        assert!(
            nobody.is_empty(),
            "a number that was used again: {nobody:?}"
        );
        assert!(ended(&here(kill(&[other.word()])).await));
        assert_eq!(seen(&here(see(&[root.id()])).await).unwrap().len(), 1);

        assert!(ended(&here(kill(&tree)).await));
        assert!(seen(&here(see(&[root.id()])).await).unwrap().is_empty());
        assert_eq!(seen(&here(see(&[bystander.id()])).await).unwrap().len(), 1);
        bystander.kill().unwrap();
        root.wait().unwrap();
        bystander.wait().unwrap();
    }

    #[tokio::test(flavor = "current_thread")]
    async fn what_a_seat_begins_with_is_read_whole_or_not_at_all() {
        let words = base("/", "./no such program");
        let base = read_base(&here(words).await).unwrap();
        assert!(base.no_program && !base.no_cwd);
        let path = EnvName::parse("PATH").unwrap();
        assert!(base.env.contains_key(&path), "{base:?}");
        assert!(
            read_base(&here(super::base("/no such place", "x")).await)
                .unwrap()
                .no_cwd
        );
        let cut = here(Invocation::new(["printf", "PATH=/x\\0"])).await;
        assert_eq!(read_base(&cut), None);
        assert_eq!(seen(&cut), None);
    }
}
