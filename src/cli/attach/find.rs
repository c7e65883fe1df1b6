//! Which terminal is meant, found without the daemon: it may be away, and its terminals live.

use std::path::PathBuf;
use std::sync::Arc;

use crate::cli::exit::CliError;
use crate::client::{self, Options};
use crate::config::{Config, Store};
use crate::host::place::Place;
use crate::host::record::{Record, VERSION};
use crate::os::paths::Paths;
use crate::os::versioned;
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

/// The terminal with this id, whose id begins so, or that has this name; where several have, those that run count.
pub(super) async fn terminal(wanted: &str) -> Result<Found, CliError> {
    let place = place().await?;
    let mut records = records(&place);
    if let Some(at) = records.iter().position(|record| record.id == wanted) {
        return Ok(found(&place, records.swap_remove(at)));
    }
    let mut meant: Vec<Record> = records
        .into_iter()
        .filter(|record| record.id.starts_with(wanted) || record.name == wanted)
        .collect();
    if meant.len() > 1 && meant.iter().any(|record| record.exit.is_none()) {
        meant.retain(|record| record.exit.is_none());
    }
    match meant.len() {
        0 => Err(
            CliError::failed(format!("no terminal is called {wanted:?}"))
                .hint("surfaced terminal list shows those there are"),
        ),
        1 => Ok(found(&place, meant.swap_remove(0))),
        _ => {
            let ids: Vec<&str> = meant.iter().map(|record| record.id.as_str()).collect();
            Err(
                CliError::failed(format!("several terminals are called {wanted:?}"))
                    .hint(format!("say which: {}", ids.join(", "))),
            )
        }
    }
}

fn found(place: &Place, record: Record) -> Found {
    Found {
        socket: place.socket(&record.id),
        record,
    }
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
