//! A session that another version was told to continue is not handed out again while that goes on: the program has a
//! conversation of its own then, so that its words alone tell which one it took over.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::known::{Known, Live, runs_already};
use super::service::One;
use crate::os::process_table::ProcessTable;

/// How long a program may take to be seen after its surface has opened.
const START: Duration = Duration::from_secs(15);

/// Which sessions were handed out just now.
#[derive(Clone, Default)]
pub(super) struct Continued(Arc<Mutex<HashMap<String, Instant>>>);

impl Continued {
    /// A program was told to continue this session.
    pub(super) fn told(&self, known: &Known) {
        let mut told = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        told.retain(|_, at| at.elapsed() < START);
        told.insert(key(known), Instant::now());
    }

    /// Refuses those that a program goes on with.
    pub(super) async fn refuse(&self, here: bool, all: &mut [One]) {
        if !all.iter().any(|one| one.continues && one.refused.is_none()) {
            return;
        }
        let prompts = if here {
            running().await
        } else {
            HashMap::new()
        };
        for one in all.iter_mut() {
            let Some(known) = one.known.as_ref() else {
                continue;
            };
            if !one.continues || one.refused.is_some() {
                continue;
            }
            let pid = prompts
                .get(&format!("/continue {}", known.session))
                .copied();
            let just_now = || {
                let told = self.0.lock().unwrap_or_else(PoisonError::into_inner);
                told.get(&key(known)).is_some_and(|at| at.elapsed() < START)
            };
            if pid.is_some() || just_now() {
                let live = Live {
                    pid,
                    ..Live::default()
                };
                one.refused = Some(runs_already(known, &live));
            }
        }
    }
}

fn key(known: &Known) -> String {
    let machine = known.machine.as_deref().unwrap_or_default();
    format!("{machine} {} {}", known.provider, known.session)
}

/// The words of the person's programs that tell them to continue something, and the process of each.
async fn running() -> HashMap<String, u32> {
    let look = || {
        let mut table = ProcessTable::new();
        let mine = table.mine();
        let words = mine.into_iter().flat_map(|process| {
            let words = table.argv(process.pid).into_iter();
            words.map(move |word| (word, process.pid))
        });
        words
            .filter(|(word, _)| word.starts_with("/continue "))
            .collect()
    };
    tokio::task::spawn_blocking(look).await.unwrap_or_default()
}
