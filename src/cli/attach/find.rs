//! Which terminal is meant, found without the daemon: it may be away, and its terminals live.

use std::path::PathBuf;
use std::sync::Arc;

use crate::cli::exit::CliError;
use crate::cli::meant::{Candidate, For, meant};
use crate::client::{self, Options};
use crate::config::{Config, Store};
use crate::host::place::Place;
use crate::host::record::{Record, VERSION};
use crate::os::paths::Paths;
use crate::os::versioned;
use crate::proto::Kind;
use crate::proto::daemon::{NoParams, Status};

/// A terminal and where its host listens.
pub(super) struct Found {
    pub(super) record: Record,
    pub(super) socket: PathBuf,
}

/// The configuration in force.
pub(super) fn config() -> Result<Arc<Config>, CliError> {
    let paths = Paths::current().map_err(|error| CliError::failed(error.to_string()))?;
    Ok(Store::open(paths.config).current())
}

/// The terminal that is called so.
pub(super) async fn terminal(wanted: &str) -> Result<Found, CliError> {
    let place = place().await?;
    let mut records = records(&place);
    let candidates: Vec<Candidate> = records
        .iter()
        .map(|record| Candidate {
            id: record.id.clone(),
            name: record.name.clone(),
            cwd: record.cwd.clone(),
            running: record.exit.is_none(),
        })
        .collect();
    let id = &meant(wanted, &candidates, For::Running)?.id;
    records.retain(|record| record.id == *id);
    records
        .pop()
        .map(|record| Found {
            socket: place.socket(&record.id),
            record,
        })
        .ok_or_else(|| {
            CliError::failed(format!("no terminal is called {wanted:?}")).kind(Kind::NotFound)
        })
}

/// Where the terminals are: of this user's daemon, or of the one that `SURFACED_SOCKET` names.
async fn place() -> Result<Place, CliError> {
    let options = Options::current()?;
    let home = if options.socket.is_some() {
        let daemon = client::connect(&options).await?.connection;
        daemon.call::<Status>(&NoParams {}).await?.home.into()
    } else {
        options.paths.home.clone()
    };
    Ok(Place::new(&home, &options.paths.temporary))
}

fn records(place: &Place) -> Vec<Record> {
    let Ok(entries) = std::fs::read_dir(place.dir()) else {
        return Vec::new();
    };
    entries
        .filter_map(|entry| {
            let path = entry.ok()?.path();
            (path.extension()? == "json").then_some(path)
        })
        .filter_map(|path| versioned::read(&path, VERSION).ok())
        .collect()
}
