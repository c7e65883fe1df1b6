//! The phrase that leaves a program.

use std::time::Duration;

use tokio::time::{Instant, sleep};

use super::{PAUSE, Places};
use crate::proto::surfaces::{CaptureParams, InjectParams, KeysParams, Or};
use crate::proto::{SurfaceRef, Word};

/// How long a typed phrase may take to show.
const ECHO: Duration = Duration::from_millis(700);

impl Places {
    /// Types the phrase into a surface, and presses Enter only where the phrase then shows: a program that asks something
    /// would take Enter for a yes. Whether Enter was pressed.
    pub(super) async fn says_goodbye(&self, surface: &SurfaceRef, phrase: &str) -> bool {
        let (Ok(text), Ok(enter)) = (Word::parse(phrase), Word::parse("Enter")) else {
            return false;
        };
        if phrase.is_empty() {
            return false;
        }
        // A terminal that cannot be read cannot show it.
        let Some(before) = self.screen(surface).await else {
            return false;
        };
        let typed = self.surfaces.inject(InjectParams {
            surface: surface.clone(),
            text,
            enter: Some(false),
            combined: None,
            dry_run: None,
        });
        if typed.await.is_err() {
            return false;
        }
        let end = Instant::now() + ECHO;
        loop {
            let Some(now) = self.screen(surface).await else {
                return false;
            };
            if shows(&before, &now, phrase) {
                break;
            }
            if Instant::now() >= end {
                return false;
            }
            sleep(PAUSE).await;
        }
        let pressed = self.surfaces.keys(KeysParams {
            surface: surface.clone(),
            keys: vec![enter],
            dry_run: None,
        });
        pressed.await.is_ok()
    }

    async fn screen(&self, surface: &SurfaceRef) -> Option<String> {
        let capture = CaptureParams {
            surface: surface.clone(),
            lines: None,
            dry_run: None,
        };
        match self.surfaces.capture(capture).await {
            Ok(Or::Done(text)) => Some(text.text),
            _ => None,
        }
    }
}

/// Whether a phrase that was typed shows: more often than before.
fn shows(before: &str, now: &str, phrase: &str) -> bool {
    now.matches(phrase).count() > before.matches(phrase).count()
}

#[cfg(test)]
mod tests {
    use super::shows;

    #[test]
    fn a_phrase_that_was_there_before_does_not_count() {
        assert!(shows("> ", "> /exit", "/exit"));
        assert!(shows("type /exit", "type /exit\n> /exit", "/exit"));
        assert!(!shows("type /exit", "type /exit\n1. Yes", "/exit"));
    }
}
