//! The configuration file.

use super::line::{Line, Verdict};
use crate::client::{Found, Options};
use crate::config::Store;
use crate::proto::daemon::{ConfigurationStatus, NoParams, Status};

/// As the daemon sees it, or as this program does where there is none.
pub(super) async fn line(found: Option<&Found>, options: &Options) -> Line {
    let asked = match found {
        Some(found) => found.connection.call::<Status>(&NoParams {}).await.ok(),
        None => None,
    };
    judge(match asked {
        Some(status) => status.configuration,
        None => Store::open(options.paths.config.clone()).status(),
    })
}

fn judge(status: ConfigurationStatus) -> Line {
    let line = |verdict, text| Line::new("configuration", "file", verdict, text);
    match (status.error, status.exists) {
        (Some(error), _) => line(Verdict::Bad, format!("{}: {error}", status.path)).hint(Some(
            "correct it; until then the last good configuration holds",
        )),
        (None, true) => line(Verdict::Good, status.path),
        (None, false) => line(Verdict::Good, format!("none at {}: defaults", status.path)),
    }
}
