//! Launch scripts of seats, here and on hosts.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;

use crate::launch::report;
use crate::launch::step::Answer;
use crate::proto::{Failure, HostAlias};
use crate::service::open::{Links, host_script};
use crate::service::scripts::{Report, Script, Scripts};

/// Between two questions after a script.
const PAUSE: Duration = Duration::from_millis(50);

/// A launch script that was written, or that the first command that names it will write.
pub(super) enum Starting {
    Here(Script),
    There {
        links: Arc<dyn Links>,
        host: HostAlias,
        path: String,
    },
}

impl Starting {
    /// Writes one on this machine.
    pub(super) async fn here(scripts: &Scripts, text: &str) -> Result<Self, Failure> {
        scripts.write(text).await.map(Self::Here)
    }

    /// Writes one on a host: 0600, in a fresh directory that is 0700.
    pub(super) async fn there(
        links: &Arc<dyn Links>,
        host: &HostAlias,
        text: &str,
    ) -> Result<Self, Failure> {
        let link = links.to(Some(host)).await?;
        Ok(Self::There {
            links: Arc::clone(links),
            host: host.clone(),
            path: host_script::place(link.as_ref(), text).await?,
        })
    }

    /// Its path there.
    pub(super) fn path(&self) -> String {
        match self {
            Self::Here(script) => script.path().display().to_string(),
            Self::There { path, .. } => path.clone(),
        }
    }

    /// Waits until it reports, at most for `limit`. A host is asked for a second at a time.
    pub(super) async fn report(&self, limit: Duration) -> Report {
        if let Self::Here(script) = self {
            return script.report(limit).await;
        }
        let end = Instant::now() + limit;
        loop {
            match self.look().await {
                Some(Report::Silent) | None => {}
                Some(report) => return report,
            }
            if Instant::now() >= end {
                return Report::Silent;
            }
            // A host that fails at once is not asked without a pause.
            tokio::time::sleep(PAUSE).await;
        }
    }

    /// What it says now, or on a host within a second. `None`: the host cannot be asked.
    pub(super) async fn look(&self) -> Option<Report> {
        let (links, host, path) = match self {
            Self::Here(script) => return Some(script.report(Duration::ZERO).await),
            Self::There { links, host, path } => (links, host, path),
        };
        let question = report::ask([report::dir(path)]);
        let answer = async { links.to(Some(host)).await?.run(question).await };
        let answer = answer.await.ok().filter(Answer::ok)?;
        report::read(&answer.stdout, 1).pop()
    }

    /// Removes it: nothing runs it any more.
    pub(super) async fn discard(&self) {
        match self {
            Self::Here(script) => script.discard().await,
            Self::There { links, host, path } => {
                if let Ok(link) = links.to(Some(host)).await {
                    link.drop_script(path).await;
                }
            }
        }
    }
}
