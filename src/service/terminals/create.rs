//! Making terminals.

use std::path::Path;
use std::time::SystemTime;

use rand::seq::IndexedRandom;

use super::environment::variables;
use super::handle::{Terminals, ending};
use crate::host::order::Order;
use crate::host::record::Record;
use crate::host::start;
use crate::host::wire::Size;
use crate::launch::length;
use crate::os::clock;
use crate::os::person::Person;
use crate::proto::terminal::Terminal;
use crate::proto::text::plain;
use crate::proto::{Env, Failure, Kind};

/// The letters of an id: none that look like another, so that it can be read aloud and typed.
const LETTERS: &[u8] = b"abcdefghjkmnpqrstuvwxyz23456789";

/// How many of them. Enough for no two ever to be the same, short enough to type.
const LENGTH: usize = 10;

/// The size of a terminal where nobody says one.
const SIZE: Size = Size { rows: 24, cols: 80 };

/// A terminal to make.
#[derive(Clone, Debug, Default)]
pub struct Plan {
    /// Its id, from [`new_id`]: whoever wrote it down before finds the terminal again, whatever becomes of the daemon.
    /// Absent: a new one.
    pub id: Option<String>,
    /// Its directory; absent: home.
    pub cwd: Option<String>,
    /// The argv; absent: a login shell.
    pub argv: Option<Vec<String>>,
    /// The argv that people are shown, where a shell that finds the program is none of their business; absent: `argv`.
    pub shown: Option<Vec<String>>,
    /// The login shell to run; absent: the person's.
    pub shell: Option<String>,
    /// Variables over the daemon's allow-list.
    pub env: Option<Env>,
    /// Its size; absent: 24 rows of 80 columns.
    pub size: Option<Size>,
    /// A name for people; absent: the program's.
    pub name: Option<String>,
    /// The title until the program sets one; absent: the name.
    pub title: Option<String>,
    /// The terminal agent that it is for.
    pub agent_id: Option<String>,
}

impl Terminals {
    /// Makes a terminal and waits until its program runs.
    ///
    /// # Errors
    /// `cwd-missing`, `program-missing`, `spawn-failed`; nothing is left then.
    pub async fn create(&self, plan: Plan) -> Result<Terminal, Failure> {
        let words = plan.argv.iter().flatten().map(String::as_str);
        length::check("the command", words, plan.env.as_ref())?;
        let env = variables(&self.setup.variables, plan.env.as_ref());
        let value = |name: &str| {
            env.iter()
                .find(|(found, value)| found == name && !value.is_empty())
                .map(|(_, value)| value.clone())
        };
        let person = Person::current();
        let cwd = plan
            .cwd
            .or_else(|| value("HOME"))
            .or_else(|| Some(person.as_ref()?.home.to_str()?.to_owned()))
            .unwrap_or_else(|| "/".into());
        usable(&cwd)?;
        let login = plan.argv.is_none();
        let argv = plan.argv.unwrap_or_else(|| {
            let shell = plan
                .shell
                .or_else(|| value("SHELL"))
                .or_else(|| Some(person.as_ref()?.shell.to_str()?.to_owned()))
                .unwrap_or_else(|| "/bin/sh".into());
            vec![shell]
        });
        let name = plan
            .name
            .unwrap_or_else(|| argv[0].rsplit('/').next().unwrap_or_default().to_owned());
        let size = plan.size.unwrap_or(SIZE);
        let now = SystemTime::now();
        let record = Record {
            id: plan.id.unwrap_or_else(new_id),
            title: plan.title.unwrap_or_else(|| name.clone()),
            name,
            start_cwd: cwd.clone(),
            cwd,
            command: plan.shown.unwrap_or_else(|| argv.clone()),
            rows: size.rows,
            cols: size.cols,
            agent_id: plan.agent_id,
            created_at: clock::rfc3339(now),
            created_us: now
                .duration_since(SystemTime::UNIX_EPOCH)
                .ok()
                .and_then(|since| u64::try_from(since.as_micros()).ok())
                .unwrap_or(0),
            ..Record::default()
        };
        let place = &self.setup.place;
        let order = Order {
            dir: place.dir().to_owned(),
            socket: place.socket(&record.id),
            record,
            argv,
            login,
            env,
            scrollback: self.setup.config.current().scrollback,
        };
        // Not dropped half way when the caller goes: there is a terminal then, and it is listed.
        let terminals = self.clone();
        let made = self
            .setup
            .supervisor
            .spawn(async move { terminals.start(order).await });
        match made.await {
            Ok(Some(made)) => made,
            Ok(None) => Err(ending()),
            Err(error) => Err(Failure::new(
                Kind::Internal,
                format!("making a terminal failed: {error}"),
            )),
        }
    }

    async fn start(&self, order: Order) -> Result<Terminal, Failure> {
        let made = async {
            let program = start::current(&self.setup.program);
            let pid = start::start(&program, &order).await?;
            let mut record = order.record.clone();
            record.runs(pid);
            self.take_over(record, true).await
        };
        let made = made.await;
        if made.is_err() {
            for path in [self.setup.place.record(&order.record.id), order.socket] {
                let _ = std::fs::remove_file(path);
            }
        }
        made
    }
}

fn usable(cwd: &str) -> Result<(), Failure> {
    let failed = |why: String| {
        Err(Failure::new(
            Kind::CwdMissing,
            format!("cannot work in {}: {why}", plain(cwd)),
        )
        .hint("create the directory or name another one in cwd"))
    };
    match Path::new(cwd).metadata() {
        Err(error) => failed(match error.kind() {
            std::io::ErrorKind::NotFound => "no such directory".into(),
            _ => error.to_string(),
        }),
        Ok(meta) if !meta.is_dir() => failed("it is not a directory".into()),
        Ok(_) => match rustix::fs::access(cwd, rustix::fs::Access::EXEC_OK) {
            Ok(()) => Ok(()),
            Err(error) => failed(std::io::Error::from(error).to_string()),
        },
    }
}

/// An id that no terminal has.
#[must_use]
pub fn new_id() -> String {
    let mut random = rand::rng();
    (0..LENGTH)
        .filter_map(|_| LETTERS.choose(&mut random))
        .map(|letter| char::from(*letter))
        .collect()
}
