//! Answers of calls with a key on disk, so that a restart or a crash does not open twice.

use std::fmt::Write as _;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::progress::Progress;
use crate::os::clock;
use crate::proto::open::{OpenParams, OpenResult, Source};
use crate::proto::{BackendId, Failure, Kind};
use crate::store::Records;

/// The version of the shape of these records.
pub const VERSION: u32 = 1;

/// What is written down of a call that has a key: nothing of its parameters but a digest, and no variable's value.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Kept {
    pub(super) key: String,
    salt: String,
    digest: String,
    /// When it was written, in milliseconds since 1970.
    pub(super) at_ms: u64,
    /// Absent: the call was on its way.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    answer: Option<KeptAnswer>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct KeptAnswer {
    backend: Option<BackendId>,
    source: Option<Source>,
    results: Vec<OpenResult>,
}

impl Kept {
    /// A call that begins.
    pub(super) fn begun(key: &str, params: &OpenParams) -> Self {
        let salt = uuid::Uuid::new_v4().to_string();
        Self {
            key: key.to_owned(),
            digest: digest(&salt, params),
            salt,
            at_ms: clock::now_ms(),
            answer: None,
        }
    }

    /// The same call with its answer.
    pub(super) fn answered(mut self, progress: &Progress) -> Self {
        let (backend, source) = progress.prepared.clone().unwrap_or_default();
        let mut results = progress.results.clone();
        results.sort_by_key(|(index, _)| *index);
        let results = results.into_iter().map(|(_, mut result)| {
            // A secret, perhaps. Whoever asks again brings it along.
            result.request.env = None;
            result
        });
        self.answer = Some(KeptAnswer {
            backend,
            source,
            results: results.collect(),
        });
        self.at_ms = clock::now_ms();
        self
    }

    /// Whether the call had these parameters.
    pub(super) fn is_of(&self, params: &OpenParams) -> bool {
        self.digest == digest(&self.salt, params)
    }

    /// The answer to the same parameters.
    ///
    /// # Errors
    /// `state-unknown`: the daemon ended before it had one.
    pub(super) fn progress(&self, params: &OpenParams) -> Result<Progress, Failure> {
        let Some(answer) = &self.answer else {
            let words = format!(
                "the daemon ended while the open with the key {} was on its way: some of it may be open",
                crate::proto::text::shown(&self.key)
            );
            return Err(Failure::new(Kind::StateUnknown, words)
                .hint("look at what is there with surfaced surfaces; a new key opens anew"));
        };
        let results = answer.results.iter().cloned().enumerate();
        let results = results.map(|(index, mut result)| {
            let item = params.items.get(index);
            result.request.env = item.and_then(|item| item.env.clone());
            (index, result)
        });
        Ok(Progress {
            begun: true,
            prepared: Some((answer.backend.clone(), answer.source)),
            results: results.collect(),
            end: Some(Ok(())),
            ..Progress::default()
        })
    }

    fn id(&self) -> String {
        id(&self.key)
    }
}

/// The directory of these records; absent: nothing outlives the daemon. Its disk is waited for elsewhere than on the runtime.
#[derive(Clone, Debug, Default)]
pub(super) struct Shelf(Option<Arc<Records<Kept>>>);

impl Shelf {
    pub(super) fn new(records: Option<Records<Kept>>) -> Self {
        Self(records.map(Arc::new))
    }

    /// Reads what earlier daemons left.
    pub(super) fn load(&self) -> Vec<Kept> {
        let Some(records) = &self.0 else {
            return Vec::new();
        };
        match records.load() {
            Ok(loaded) => {
                let kept = loaded.told("an open with a key").into_iter();
                kept.map(|(_, kept)| kept).collect()
            }
            Err(error) => {
                tracing::warn!(%error, "the answers of earlier opens cannot be read");
                Vec::new()
            }
        }
    }

    /// Writes one down, and removes those of these keys.
    pub(super) async fn put(&self, kept: Option<Kept>, forgotten: Vec<String>) {
        let Some(records) = self.0.clone() else {
            return;
        };
        let write = move || {
            for key in forgotten {
                records.remove(&id(&key))?;
            }
            kept.map_or(Ok(()), |kept| records.put(&kept.id(), &kept))
        };
        if let Ok(Err(error)) = tokio::task::spawn_blocking(write).await {
            tracing::warn!(%error, "the answer of an open with a key does not outlive this daemon");
        }
    }
}

/// The name of a key's record: a key may hold anything.
fn id(key: &str) -> String {
    hex(&Sha256::digest(key.as_bytes()))
}

/// A digest of parameters which says nothing of the secrets in them: those are guessed more slowly with a salt.
fn digest(salt: &str, params: &OpenParams) -> String {
    let text = serde_json::to_string(params).unwrap_or_default();
    let mut digest = Sha256::new();
    digest.update(salt.as_bytes());
    digest.update(text.as_bytes());
    hex(&digest.finalize())
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        // Writing to a string cannot fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}
