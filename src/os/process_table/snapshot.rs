//! The processes of another machine, as its `ps` and its `/proc` told of them.

use std::collections::{BTreeMap, HashMap};
use std::time::SystemTime;

use super::process::Process;
use super::ps::{self, Line};
use super::table::ProcessTable;

/// What a machine told of its processes. Those of the user who asked it count as those of this program's user.
#[derive(Clone, Debug, Default)]
pub struct Snapshot {
    lines: HashMap<u32, Line>,
    cwds: HashMap<u32, String>,
    environs: HashMap<u32, BTreeMap<String, String>>,
    used: HashMap<String, SystemTime>,
    uid: u32,
}

impl Snapshot {
    /// What `/bin/sh` has to run there for [`Snapshot::read`].
    pub const QUESTION: &str =
        "id -u && LC_ALL=C TZ=UTC ps -axww -o pid=,ppid=,uid=,lstart=,tty=,args=";

    /// What it has to run for [`Snapshot::add`], with the numbers of processes and the devices of terminals as its words.
    pub const DETAILS: &str = r#"for word; do
case $word in
/*) printf 'used %s %s\n' "$word" "$(stat -c '%X %Y' "$word" 2>/dev/null || stat -f '%a %m' "$word" 2>/dev/null)" ;;
*)
if [ -d "/proc/$word" ]; then
printf 'cwd %s %s\n' "$word" "$(readlink "/proc/$word/cwd" 2>/dev/null)"
printf 'tmux %s %s\n' "$word" "$(tr '\0' '\n' 2>/dev/null <"/proc/$word/environ" | sed -n 's/^TMUX=//p' | sed -n 1p)"
else
printf 'cwd %s %s\n' "$word" "$(lsof -a -p "$word" -d cwd -Fn 2>/dev/null | sed -n 's/^n//p' | sed -n 1p)"
fi ;;
esac
done
"#;

    /// Reads the answer to [`Snapshot::QUESTION`]. `None`: it is not one.
    #[must_use]
    pub fn read(text: &str) -> Option<Self> {
        let (first, rest) = text.split_once('\n')?;
        let uid: u32 = first.trim().parse().ok()?;
        let me = ProcessTable::me();
        let lines: HashMap<u32, Line> = ps::parse(rest)
            .into_iter()
            .map(|mut line| {
                // Of a title such as `tmux: server` the first word is the name.
                let name = line.process.name.trim_end_matches(':');
                line.process.name = name.to_owned();
                line.process.uid = match line.process.uid {
                    own if own == uid => me,
                    other if other == me => u32::MAX,
                    other => other,
                };
                (line.process.pid, line)
            })
            .collect();
        (!lines.is_empty()).then_some(Self {
            lines,
            uid,
            ..Self::default()
        })
    }

    /// Adds the answer to [`Snapshot::DETAILS`]; what cannot be read is left out.
    pub fn add(&mut self, text: &str) {
        for line in text.lines() {
            let mut words = line.splitn(3, ' ');
            let (Some(kind), Some(of), Some(value)) = (words.next(), words.next(), words.next())
            else {
                continue;
            };
            match (kind, of.parse::<u32>()) {
                ("cwd", Ok(pid)) if value.starts_with('/') => {
                    self.cwds.insert(pid, value.to_owned());
                }
                ("tmux", Ok(pid)) if !value.is_empty() => {
                    let variable = ("TMUX".to_owned(), value.to_owned());
                    self.environs.insert(pid, BTreeMap::from([variable]));
                }
                ("used", Err(_)) => {
                    let times = value.split(' ').filter_map(|time| time.parse().ok());
                    let last = times.max().map(std::time::Duration::from_secs);
                    if let Some(last) = last {
                        self.used
                            .insert(of.to_owned(), SystemTime::UNIX_EPOCH + last);
                    }
                }
                _ => {}
            }
        }
    }

    /// The user who asked, by the number that it has there.
    #[must_use]
    pub const fn uid(&self) -> u32 {
        self.uid
    }

    /// When somebody last used a terminal.
    #[must_use]
    pub fn last_used(&self, tty: &str) -> Option<SystemTime> {
        self.used.get(tty).copied()
    }

    pub(super) fn process(&self, pid: u32) -> Option<Process> {
        Some(self.lines.get(&pid)?.process.clone())
    }

    pub(super) fn names(&self) -> Vec<(u32, String)> {
        let lines = self.lines.values();
        lines
            .map(|line| (line.process.pid, line.process.name.clone()))
            .collect()
    }

    pub(super) fn argv(&self, pid: u32) -> Vec<String> {
        let line = self.lines.get(&pid);
        line.map(|line| line.argv.clone()).unwrap_or_default()
    }

    pub(super) fn exe(&self, pid: u32) -> Option<String> {
        self.lines.get(&pid)?.path.clone()
    }

    pub(super) fn cwd(&self, pid: u32) -> Option<String> {
        self.cwds.get(&pid).cloned()
    }

    pub(super) fn environ(&self, pid: u32) -> Option<BTreeMap<String, String>> {
        self.environs.get(&pid).cloned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TOLD: &str = "1000\n\
        1 0 0 Sat Aug 29 07:00:01 2026 ? /sbin/init\n\
        70 1 1000 Sat Aug 29 07:01:00 2026 ? tmux: server\n\
        80 70 1000 Sat Aug 29 07:01:01 2026 pts/3 node /x/claude --resume a\n\
        90 1 7 Sat Aug 29 07:01:01 2026 pts/4 claude\n";

    #[test]
    fn the_processes_of_a_machine_are_read() {
        let mut snapshot = Snapshot::read(TOLD).unwrap();
        snapshot.add(
            "cwd 80 /srv/a b\ntmux 80 /tmp/tmux-1000/default,70,0\nused /dev/pts/3 12 1700000000\ncwd 90 \nnonsense\nused x\n",
        );
        assert_eq!(snapshot.uid(), 1000);
        let used = snapshot.last_used("/dev/pts/3").unwrap();
        assert_eq!(
            used,
            SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(1_700_000_000)
        );
        let mut table = ProcessTable::told(snapshot);
        let process = table.get(80).unwrap();
        assert_eq!(process.uid, ProcessTable::me());
        assert_eq!(process.tty.as_deref(), Some("/dev/pts/3"));
        assert_ne!(table.get(90).unwrap().uid, ProcessTable::me());
        assert_eq!(table.get(70).unwrap().name, "tmux");
        assert_eq!(table.cwd(80).as_deref(), Some("/srv/a b"));
        assert_eq!(table.cwd(90), None);
        assert!(table.environ(80).unwrap()["TMUX"].starts_with("/tmp/"));
        assert_eq!(table.ancestry(80).len(), 3);
        assert!(Snapshot::read("ps: bad option").is_none());
        assert!(Snapshot::read("1000\n").is_none());
    }
}
