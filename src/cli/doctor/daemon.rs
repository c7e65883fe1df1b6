//! The daemon.

use super::line::{Line, Verdict};
use crate::client::{ClientError, Found};
use crate::proto::daemon::{NoParams, Status};

pub(super) async fn lines(found: Result<&Found, &ClientError>) -> Vec<Line> {
    let found = match found {
        Ok(found) => found,
        Err(error) => {
            return vec![
                Line::new("daemon", "answers", Verdict::Bad, error.to_string()).hint(error.hint()),
            ];
        }
    };
    let status = match found.connection.call::<Status>(&NoParams {}).await {
        Ok(status) => status,
        Err(error) => {
            return vec![
                Line::new("daemon", "status", Verdict::Bad, error.to_string()).hint(error.hint()),
            ];
        }
    };
    let same = status.version == env!("CARGO_PKG_VERSION");
    vec![
        Line::new(
            "daemon",
            "answers",
            Verdict::Good,
            format!(
                "pid {} at {}{}",
                status.pid,
                found.socket.display(),
                if found.started {
                    ", started just now"
                } else {
                    ""
                }
            ),
        ),
        Line::new(
            "daemon",
            "version",
            if same {
                Verdict::Good
            } else {
                Verdict::Warning
            },
            format!("{} (protocol {})", status.version, status.protocol),
        )
        .hint((!same).then_some("surfaced daemon restart runs this program's version")),
        Line::new("daemon", "log", Verdict::Good, status.log),
    ]
}
