//! Keys: the same call twice opens its surfaces once.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use serde_json::Value;
use tokio::sync::watch;
use tokio::time::Instant;

use super::progress::Progress;
use crate::proto::open::OpenParams;
use crate::proto::{Failure, Kind};

/// How long an answer is remembered after the call ended.
const KEPT: Duration = Duration::from_mins(10);

/// More keys than anybody uses in that time; beyond it the oldest answers are forgotten.
const MOST: usize = 4096;

/// The calls that had a key lately.
#[derive(Clone, Debug, Default)]
pub(super) struct Keys {
    calls: Arc<Mutex<HashMap<String, Call>>>,
}

#[derive(Debug)]
struct Call {
    params: Value,
    progress: watch::Receiver<Progress>,
    ended: Option<Instant>,
}

impl Keys {
    /// Follows the call that has this key, or notes that a new one begins, whose progress `begin` gives.
    pub(super) fn follow(
        &self,
        key: &str,
        params: &OpenParams,
        now: Instant,
        begin: impl FnOnce() -> watch::Receiver<Progress>,
    ) -> Result<watch::Receiver<Progress>, Failure> {
        let params = serde_json::to_value(params).map_err(|error| {
            Failure::new(
                Kind::Internal,
                format!("parameters have no JSON form: {error}"),
            )
        })?;
        let mut calls = self.calls.lock().unwrap_or_else(PoisonError::into_inner);
        calls.retain(|_, call| {
            call.ended
                .is_none_or(|ended| now.duration_since(ended) < KEPT)
        });
        if let Some(call) = calls.get(key) {
            return if call.params == params {
                Ok(call.progress.clone())
            } else {
                Err(Failure::new(
                    Kind::Conflict,
                    format!("the key {key:?} was used for another open with other parameters"),
                )
                .hint("use a new key for each open, and the same one only to repeat it"))
            };
        }
        if calls.len() >= MOST {
            let oldest = calls
                .iter()
                .filter(|(_, call)| call.ended.is_some())
                .min_by_key(|(_, call)| call.ended);
            if let Some(oldest) = oldest.map(|(key, _)| key.clone()) {
                calls.remove(&oldest);
            }
        }
        let progress = begin();
        calls.insert(
            key.to_owned(),
            Call {
                params,
                progress: progress.clone(),
                ended: None,
            },
        );
        Ok(progress)
    }

    /// Notes that a call ended. One in which nothing opened is forgotten, so that it can be tried again.
    pub(super) fn ended(&self, key: &str, opened: bool, now: Instant) {
        let mut calls = self.calls.lock().unwrap_or_else(PoisonError::into_inner);
        if opened {
            if let Some(call) = calls.get_mut(key) {
                call.ended = Some(now);
            }
        } else {
            calls.remove(key);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_remembered_for_ten_minutes_after_its_call() {
        let keys = Keys::default();
        let (params, other) = (
            OpenParams::default(),
            OpenParams {
                focus: Some(false),
                ..OpenParams::default()
            },
        );
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
        keys.ended("k", true, start);
        assert_eq!(follow(&params, KEPT.mul_f64(0.9)), Ok(1));
        assert_eq!(follow(&other, KEPT), Ok(2));
        keys.ended("k", false, start + KEPT);
        assert_eq!(follow(&params, KEPT), Ok(3));
    }
}
