//! `surfaced call METHOD [JSON|-]`.

use std::io::Read;

use serde_json::{Value, json};

use super::exit::{CliError, Exit};
use super::{reach, render};
use crate::client::{self, Connection, Options};
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
    let connection = if args.method == Shutdown::NAME {
        // Not started only to be ended.
        client::connect(&Options::current()?).await?.connection
    } else {
        reach::daemon().await?.connection
    };
    let outcome = if STREAMS.contains(&args.method.as_str()) {
        stream(&connection, &args.method, &params).await
    } else {
        match connection.call_value(&args.method, &params).await {
            Ok(result) => render::json(&result),
            Err(error) => return Err(error.into()),
        }
    };
    outcome.map(|()| Exit::Done)
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

async fn stream(connection: &Connection, method: &str, params: &Value) -> Result<(), CliError> {
    let mut items = connection.subscribe(method, params).await?;
    while let Some(item) = items.next().await? {
        render::json_line(&item)?;
    }
    Ok(())
}
