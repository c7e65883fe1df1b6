//! A call of `open` on its way, as those see it who follow it: the caller, and others with the same key.

use std::time::Duration;

use serde_json::{Value, json};
use tokio::sync::watch;
use tokio::time::timeout;
use tokio_util::sync::{CancellationToken, DropGuard};

use crate::proto::open::{OpenAnswer, OpenResult, Source};
use crate::proto::{BackendId, Failure, Kind, SurfaceRef};

/// How long a cancelled call waits for the item that is being handed to a terminal.
const PATIENCE: Duration = Duration::from_millis(150);

/// What is known of a call so far.
#[derive(Clone, Debug, Default)]
pub(super) struct Progress {
    /// The first item's backend and why that one; absent: the call is still being prepared.
    pub(super) prepared: Option<(Option<BackendId>, Option<Source>)>,
    /// Whether something was handed to a terminal.
    pub(super) begun: bool,
    /// The items whose surface is there while it is not known yet whether the command started, and those surfaces.
    pub(super) starting: Vec<(usize, Option<SurfaceRef>)>,
    /// In the order in which they became known.
    pub(super) results: Vec<(usize, OpenResult)>,
    /// Whether all are known, or why there are none.
    pub(super) end: Option<Result<(), Failure>>,
}

impl Progress {
    /// Whether something was opened.
    pub(super) fn opened(&self) -> bool {
        self.results.iter().any(|(_, result)| result.ok)
    }

    /// What a call that is not waited for any more has done.
    fn detail(&self, goes_on: bool) -> Value {
        let told = |at: &usize| self.results.iter().any(|(index, _)| index == at);
        let opened = self.results.iter().filter(|(_, result)| result.ok);
        let opened = opened.map(|(index, result)| (index, &result.surface));
        let starting = self.starting.iter().filter(|(index, _)| !told(index));
        let mut opened: Vec<_> = opened
            .chain(starting.map(|(index, surface)| (index, surface)))
            .collect();
        opened.sort_by_key(|(index, _)| **index);
        let opened: Vec<_> = opened
            .into_iter()
            .map(|(index, surface)| json!({ "index": index, "surface": surface }))
            .collect();
        let mut detail = json!({ "opened": opened, "continues": goes_on });
        if !self.begun && !goes_on {
            detail["outcome"] = "not-started".into();
        }
        detail
    }

    fn answer(&self) -> Result<OpenAnswer, Failure> {
        if let Some(Err(failure)) = &self.end {
            return Err(failure.clone());
        }
        let mut results = self.results.clone();
        results.sort_by_key(|(index, _)| *index);
        let (backend, source) = self.prepared.clone().unwrap_or_default();
        let results = results.into_iter().map(|(_, result)| result).collect();
        Ok(OpenAnswer::Opened {
            backend,
            source,
            results,
        })
    }
}

/// A call that runs. Dropped before its end, no further item is begun, unless it has a key; an item that was handed to a
/// terminal is always finished.
#[derive(Debug)]
pub struct Running {
    progress: watch::Receiver<Progress>,
    seen: usize,
    /// Absent: it has a key and runs on.
    stop: Option<DropGuard>,
}

impl Running {
    pub(super) fn new(
        progress: watch::Receiver<Progress>,
        stop: Option<CancellationToken>,
    ) -> Self {
        Self {
            progress,
            seen: 0,
            stop: stop.map(CancellationToken::drop_guard),
        }
    }

    /// Waits until it is prepared.
    ///
    /// # Errors
    /// Why it cannot be run at all.
    pub async fn prepared(&mut self) -> Result<(), Failure> {
        let ready = |progress: &Progress| progress.prepared.is_some() || progress.end.is_some();
        match self.progress.wait_for(ready).await {
            Ok(progress) => progress.end.clone().unwrap_or(Ok(())),
            Err(_) => Err(broken()),
        }
    }

    /// The next result and the index of its item; `None` after the last.
    pub async fn next(&mut self) -> Option<(usize, OpenResult)> {
        let seen = self.seen;
        let more = |progress: &Progress| progress.results.len() > seen || progress.end.is_some();
        let progress = self.progress.wait_for(more).await.ok()?;
        let next = progress.results.get(seen).cloned()?;
        drop(progress);
        self.seen += 1;
        Some(next)
    }

    /// Waits for the end.
    ///
    /// # Errors
    /// Why it could not be run at all; failures of items are results.
    pub async fn finish(&mut self) -> Result<OpenAnswer, Failure> {
        match self
            .progress
            .wait_for(|progress| progress.end.is_some())
            .await
        {
            Ok(progress) => progress.answer(),
            Err(_) => Err(broken()),
        }
    }

    /// Begins no further item, and says what was opened. With a key the call runs on, unless the daemon `ends`.
    pub async fn cancel(mut self, ends: bool) -> Failure {
        let goes_on = self.stop.is_none() && !ends;
        drop(self.stop.take());
        let _ = timeout(
            PATIENCE,
            self.progress.wait_for(|progress| progress.end.is_some()),
        )
        .await;
        let detail = self.progress.borrow().detail(goes_on);
        Failure::new(Kind::Cancelled, "the open was cancelled").detail(detail)
    }
}

fn broken() -> Failure {
    Failure::new(Kind::Internal, "the open ended without a result")
}
