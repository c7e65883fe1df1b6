//! The backends, as the daemon sees them for this caller.

use super::line::{Line, Verdict};
use crate::client::Found;
use crate::proto::Method;
use crate::proto::resolve::{BackendInfo, Backends, BackendsParams};

pub(super) async fn lines(found: &Found) -> Vec<Line> {
    if !found
        .hello
        .capabilities
        .iter()
        .any(|name| name == Backends::NAME)
    {
        return Vec::new();
    }
    match found
        .connection
        .call::<Backends>(&BackendsParams::default())
        .await
    {
        Ok(result) => result.backends.iter().map(line).collect(),
        Err(error) => {
            vec![Line::new("backends", "list", Verdict::Bad, error.to_string()).hint(error.hint())]
        }
    }
}

fn line(backend: &BackendInfo) -> Line {
    let (verdict, otherwise) = if backend.available {
        (Verdict::Good, "available")
    } else {
        (Verdict::Off, "not available")
    };
    let text = backend.reason.as_deref().unwrap_or(otherwise);
    Line::new("backends", backend.id.as_str(), verdict, text).hint(backend.remedy.clone())
}
