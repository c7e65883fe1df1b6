//! `surfaced call METHOD [JSON|-]`.

use std::io::Read;

use serde_json::{Value, json};

use super::exit::{CliError, Exit};
use super::{reach, render};
use crate::client::{self, Daemon, Options};
use crate::proto::Method;
use crate::proto::daemon::Shutdown;

/// The methods that answer with a stream of items.
const STREAMS: &[&str] = &["open.subscribe", "events.subscribe", "terminal.attach"];

/// Calls a method with parameters as JSON; `-` reads them from standard input.
///
/// Items of a subscription are printed a line each until it ends.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The method, such as daemon.status
    method: String,
    /// The parameters, an object; `-`: from standard input
    #[arg(value_name = "JSON")]
    params: Option<String>,
}

pub(super) async fn run(args: &Args) -> Result<Exit, CliError> {
    let params = params(args.params.as_deref())?;
    let method = args.method.as_str();
    let answer = if method == Shutdown::NAME {
        // Not started only to be ended.
        let connection = client::connect(&Options::current()?).await?.connection;
        connection.call_value(method, &params).await
    } else {
        let daemon = reach::daemon().await?;
        if STREAMS.contains(&method) {
            stream(&daemon, method, &params).await?;
            return Ok(Exit::Done);
        }
        daemon.call_value(method, &params).await
    };
    match answer {
        Ok(result) => render::json(&result).map(|()| Exit::Done),
        Err(error) => Err(error.into()),
    }
}

fn params(text: Option<&str>) -> Result<Value, CliError> {
    let text = match text {
        None => return Ok(json!({})),
        Some("-") => {
            let mut text = String::new();
            std::io::stdin()
                .read_to_string(&mut text)
                .map_err(|error| {
                    CliError::failed(format!("cannot read standard input: {error}"))
                })?;
            text
        }
        Some(text) => text.to_owned(),
    };
    serde_json::from_str(&text).map_err(|error| {
        CliError::usage(format!("the parameters are not JSON: {error}")).hint(
            "write an object, such as '{\"items\":[{}]}', or - to read it from standard input",
        )
    })
}

async fn stream(daemon: &Daemon, method: &str, params: &Value) -> Result<(), CliError> {
    let mut items = daemon.subscribe(method, params).await?;
    while let Some(item) = items.next().await? {
        render::json_line(&item)?;
    }
    Ok(())
}
