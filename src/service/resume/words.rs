//! What a provider says of a conversation that it does not have, as far as its surface shows it.

use std::time::Duration;

use tokio::time::{Instant, sleep};

use crate::proto::open::OpenResult;
use crate::proto::surfaces::{CaptureParams, Or, SurfaceParams, WaitParams};
use crate::proto::{Kind, SurfaceRef};
use crate::provider::Provider;
use crate::service::surfaces::Surfaces;

/// How long a surface is looked at. A program that has shown something else by then has its conversation.
const LOOK: Duration = Duration::from_secs(3);

/// Between two looks.
const PAUSE: Duration = Duration::from_millis(100);

/// How a surface is held that has nothing more to show, as the launch script writes it.
const HELD: &str = "[ended with status ";

/// Looks at a surface that was just opened until its program has shown something. Where that is the provider's own word that
/// there is no such conversation and the program has ended, the result is a failure with these words, and the surface, in
/// which nothing runs any more, is closed. Nothing is tried again. A surface that cannot be read keeps its result; there the
/// words stand in it.
pub(super) async fn look(surfaces: &Surfaces, provider: &Provider, result: &mut OpenResult) {
    let Some(surface) = result.surface.clone().filter(|_| result.ok) else {
        return;
    };
    let end = Instant::now() + LOOK;
    let said = loop {
        let capture = CaptureParams {
            surface: surface.clone(),
            lines: None,
            dry_run: None,
        };
        let Ok(Or::Done(shown)) = surfaces.capture(capture).await else {
            return;
        };
        let said = provider.missing_conversation(&shown.text);
        let last = shown.text.trim_end().lines().next_back();
        let held = last.is_some_and(|line| line.starts_with(HELD));
        if held || (said.is_some() && has_exited(surfaces, &surface).await) {
            break said;
        }
        let something = said.is_none() && !shown.text.trim().is_empty();
        if something || Instant::now() >= end {
            return;
        }
        sleep(PAUSE).await;
    };
    let Some(said) = said else { return };
    let label = provider.label();
    let close = SurfaceParams {
        surface,
        dry_run: None,
    };
    if surfaces.close(close).await.is_ok() {
        result.surface = None;
        result.attach = None;
        result.pid = None;
    }
    result.ok = false;
    result.started = None;
    result.kind = Some(Kind::NotFound);
    result.error = Some(format!("{label} does not have this session: {said}"));
    result.hint = Some(
        "its file may have been removed, or belong to another directory; `surfaced sessions --files` lists those there are"
            .to_owned(),
    );
}

/// Whether the program in a terminal that the daemon hosts has ended. These are not held, since they stay anyway.
async fn has_exited(surfaces: &Surfaces, surface: &SurfaceRef) -> bool {
    let now = WaitParams {
        surface: surface.clone(),
        timeout_ms: Some(0),
        dry_run: None,
    };
    matches!(surface, SurfaceRef::Builtin(_))
        && matches!(surfaces.wait(now).await, Ok(Or::Done(exit)) if exit.exited)
}
