//! Keys: the same call twice opens its surfaces once.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde_json::Value;
use tokio::sync::watch;
use tokio::time::Instant;

use super::kept::{Kept, Shelf};
use super::progress::Progress;
use crate::os::clock;
use crate::proto::open::OpenParams;
use crate::proto::text::shown;
use crate::proto::{Failure, Kind};

/// How long an answer is remembered after the call ended.
const KEPT: Duration = Duration::from_mins(10);

/// More keys than anybody uses in that time; beyond it the oldest answers are forgotten.
const MOST: usize = 4096;

/// The calls that had a key lately, those of earlier daemons included.
#[derive(Clone, Debug, Default)]
pub(super) struct Keys {
    state: Arc<Mutex<State>>,
    shelf: Shelf,
}

#[derive(Debug, Default)]
struct State {
    calls: HashMap<String, Call>,
    /// Keys whose records are still to be removed.
    forgotten: Vec<String>,
}

#[derive(Debug)]
struct Call {
    known: Known,
    ended: Option<Instant>,
}

#[derive(Debug)]
enum Known {
    /// It runs or ran in this daemon.
    Own {
        params: Value,
        progress: watch::Receiver<Progress>,
    },
    /// What an earlier daemon wrote down of it.
    Earlier(Box<Kept>),
}

impl Known {
    fn is_of(&self, wanted: &OpenParams, value: &Value) -> bool {
        match self {
            Self::Own { params, .. } => params == value,
            Self::Earlier(kept) => kept.is_of(wanted),
        }
    }

    fn progress(&self, params: &OpenParams) -> Result<watch::Receiver<Progress>, Failure> {
        match self {
            Self::Own { progress, .. } => Ok(progress.clone()),
            Self::Earlier(kept) => Ok(watch::channel(kept.progress(params)?).1),
        }
    }
}

impl Keys {
    /// The calls that earlier daemons wrote down.
    pub(super) fn new(shelf: Shelf) -> Self {
        let (now, now_ms) = (Instant::now(), clock::now_ms());
        let mut state = State::default();
        for kept in shelf.load() {
            let age = Duration::from_millis(now_ms.saturating_sub(kept.at_ms));
            if age >= KEPT {
                state.forgotten.push(kept.key);
                continue;
            }
            let call = Call {
                // A clock that counts from the start of the machine may not reach back so far.
                ended: Some(now.checked_sub(age).unwrap_or(now)),
                known: Known::Earlier(Box::new(kept.clone())),
            };
            state.calls.insert(kept.key, call);
        }
        Self {
            state: Arc::new(Mutex::new(state)),
            shelf,
        }
    }

    /// Follows the call that has this key, or notes that a new one begins, whose progress `begin` gives.
    pub(super) fn follow(
        &self,
        key: &str,
        params: &OpenParams,
        now: Instant,
        begin: impl FnOnce() -> watch::Receiver<Progress>,
    ) -> Result<watch::Receiver<Progress>, Failure> {
        let value = serde_json::to_value(params).map_err(|error| {
            Failure::new(
                Kind::Internal,
                format!("parameters have no JSON form: {error}"),
            )
        })?;
        let mut state = self.state();
        state.forget(|call| {
            call.ended
                .is_some_and(|ended| now.duration_since(ended) >= KEPT)
        });
        if let Some(call) = state.calls.get(key) {
            if call.known.is_of(params, &value) {
                return call.known.progress(params);
            }
            let words = format!(
                "the key {} was used for another open with other parameters",
                shown(key)
            );
            return Err(Failure::new(Kind::Conflict, words)
                .hint("use a new key for each open, and the same one only to repeat it"));
        }
        if state.calls.len() >= MOST {
            let ended = state.calls.values().filter_map(|call| call.ended);
            if let Some(oldest) = ended.min() {
                state.forget(|call| call.ended == Some(oldest));
            }
        }
        let progress = begin();
        let known = Known::Own {
            params: value,
            progress: progress.clone(),
        };
        state
            .calls
            .insert(key.to_owned(), Call { known, ended: None });
        Ok(progress)
    }

    /// Writes down that a call is on its way: the next daemon does not open it again.
    pub(super) async fn begun(&self, key: &str, params: &OpenParams) -> Kept {
        let kept = Kept::begun(key, params);
        let forgotten = self.state().forgotten(key);
        self.shelf.put(Some(kept.clone()), forgotten).await;
        kept
    }

    /// Notes that a call ended, and writes its answer down. One in which nothing opened is forgotten, so that it can be tried
    /// again. `kept`: what was written down when it began.
    pub(super) async fn ended(
        &self,
        key: &str,
        kept: Option<Kept>,
        progress: &Progress,
        now: Instant,
    ) {
        let opened = progress.opened();
        let mut forgotten = {
            let mut state = self.state();
            if opened {
                if let Some(call) = state.calls.get_mut(key) {
                    call.ended = Some(now);
                }
            } else {
                state.calls.remove(key);
            }
            state.forgotten(key)
        };
        let answered = kept.as_ref().filter(|_| opened);
        let answered = answered.map(|kept| kept.clone().answered(progress));
        if kept.is_some() && !opened {
            forgotten.push(key.to_owned());
        }
        if answered.is_some() || !forgotten.is_empty() {
            self.shelf.put(answered, forgotten).await;
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// Forgets the calls that are so.
    fn forget(&mut self, is_old: impl Fn(&Call) -> bool) {
        let old = self.calls.extract_if(|_, call| is_old(call));
        self.forgotten.extend(old.map(|(key, _)| key));
    }

    /// The keys whose records go now; this one has a new call.
    fn forgotten(&mut self, key: &str) -> Vec<String> {
        let mut forgotten = std::mem::take(&mut self.forgotten);
        forgotten.retain(|old| old != key);
        forgotten
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::proto::open::{OpenResult, Source};
    use crate::proto::{BackendId, Layout, Request};
    use crate::store::Records;

    fn params(text: &str) -> OpenParams {
        let items = json!([{ "command": ["cat"], "env": { "KEY": text } }]);
        serde_json::from_value(json!({ "items": items })).unwrap()
    }

    fn opened() -> Progress {
        let request: Request = serde_json::from_value(json!({
            "backend": "builtin", "layout": Layout::Tab, "command": ["cat"], "env": { "KEY": "hunter2" },
        }))
        .unwrap();
        let result = OpenResult::refused(
            request.clone(),
            &Failure::new(Kind::Timeout, "the second did not open"),
        );
        let first = OpenResult {
            ok: true,
            ..OpenResult::opened(request, crate::proto::open::Started::Seen)
        };
        Progress {
            begun: true,
            prepared: Some((Some(BackendId::from("builtin")), Some(Source::Forced))),
            results: vec![(1, result), (0, first)],
            end: Some(Ok(())),
            ..Progress::default()
        }
    }

    #[tokio::test]
    async fn a_key_is_remembered_for_ten_minutes_after_its_call() {
        let keys = Keys::default();
        let (params, other) = (params("a"), params("b"));
        let start = Instant::now();
        let mut calls = 0;
        let mut follow = |params: &OpenParams, after: Duration| {
            let begin = || {
                calls += 1;
                watch::channel(Progress::default()).1
            };
            keys.follow("k", params, start + after, begin).map(|_| ())?;
            Ok::<_, Failure>(calls)
        };
        assert_eq!(follow(&params, Duration::ZERO), Ok(1));
        assert_eq!(follow(&params, KEPT * 2), Ok(1));
        assert_eq!(follow(&other, KEPT * 2).unwrap_err().kind(), Kind::Conflict);
        keys.ended("k", None, &opened(), start).await;
        assert_eq!(follow(&params, KEPT.mul_f64(0.9)), Ok(1));
        assert_eq!(follow(&other, KEPT), Ok(2));
        keys.ended("k", None, &Progress::default(), start + KEPT)
            .await;
        assert_eq!(follow(&params, KEPT), Ok(3));
    }

    #[tokio::test]
    async fn the_next_daemon_knows_the_answer_and_no_secret_of_the_call() {
        let dir = tempfile::tempdir().unwrap();
        let keys = || {
            let records = Records::open(dir.path().join("opens"), super::super::kept::VERSION);
            Keys::new(Shelf::new(Some(records.unwrap())))
        };
        let params = params("hunter2");
        let first = keys();
        for key in ["done", "cut/off", "nothing"] {
            let (_, progress) = watch::channel(Progress::default());
            first
                .follow(key, &params, Instant::now(), || progress)
                .unwrap();
            let kept = first.begun(key, &params).await;
            let now = Instant::now();
            match key {
                "done" => first.ended(key, Some(kept), &opened(), now).await,
                "nothing" => {
                    first
                        .ended(key, Some(kept), &Progress::default(), now)
                        .await;
                }
                _ => {}
            }
        }
        let mut written = 0;
        for entry in std::fs::read_dir(dir.path().join("opens")).unwrap() {
            let text = std::fs::read_to_string(entry.unwrap().path()).unwrap();
            assert!(!text.contains("hunter2"), "{text}");
            written += 1;
        }
        assert_eq!(written, 2);

        let next = keys();
        let follow = |key: &str, params: &OpenParams| {
            let mut calls = 0;
            let begin = || {
                calls += 1;
                watch::channel(Progress::default()).1
            };
            let progress = next.follow(key, params, Instant::now(), begin)?;
            let results = progress.borrow().results.clone();
            Ok::<_, Failure>((calls, results))
        };
        let mut results = opened().results;
        results.sort_by_key(|(index, _)| *index);
        // There was one item: the second result of this test has none whose variables it could have.
        results[1].1.request.env = None;
        assert_eq!(follow("done", &params), Ok((0, results)));
        let other = super::tests::params("hunter3");
        assert_eq!(follow("done", &other).unwrap_err().kind(), Kind::Conflict);
        let unknown = follow("cut/off", &params).unwrap_err();
        assert_eq!(unknown.kind(), Kind::StateUnknown);
        assert_eq!(follow("nothing", &params), Ok((1, Vec::new())));
    }
}
