//! `surfaced daemon install` and `uninstall`: the daemon as a service of the login session.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use super::super::exit::CliError;
use super::super::render;
use super::{invoked, service_file, stop};
use crate::os::service_manager::{self, Place};
use crate::os::settle;
use crate::proto::Kind;

/// Writes a systemd user unit (a launchd agent on macOS) and starts the daemon by it.
///
/// The file names this program by the path it was called by, so that it still works when a link there leads to a newer
/// version.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Print the file and change nothing
    #[arg(long)]
    print: bool,
}

pub(super) async fn run(args: &Args) -> Result<(), CliError> {
    let place = place()?;
    let text = text(&program()?);
    if args.print {
        return render::bytes(text.as_bytes());
    }
    write(&place.file, &text)?;
    if let Some(link) = &place.enabled_by {
        enable(link, &place.file)?;
    }
    render::line(format!("wrote {}", place.file.display()))?;
    // One that was started by hand has the lock, and the service's would end at once.
    stop::end(&stop::Args::default()).await?;
    match service_manager::start(&place).await {
        Ok(()) => render::line("the daemon runs, and starts with each login"),
        Err(reason) => {
            render::note(format!(
                "it starts with the next login; it could not be started now: {reason}"
            ));
            Ok(())
        }
    }
}

pub(super) async fn undo() -> Result<(), CliError> {
    let place = place()?;
    if !place.file.exists() {
        return render::line("it is not installed");
    }
    if let Err(reason) = service_manager::stop(&place).await {
        render::note(format!("the service manager could not be told: {reason}"));
    }
    for path in place.enabled_by.iter().chain([&place.file]) {
        match std::fs::remove_file(path) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                return Err(failed("remove", path, &error));
            }
            _ => {}
        }
    }
    service_manager::forget(&place).await;
    render::line(format!("removed {}", place.file.display()))
}

fn place() -> Result<Place, CliError> {
    service_manager::place(service_file::LABEL)
        .ok_or_else(|| CliError::failed("this user has no home directory").hint("set HOME"))
}

fn program() -> Result<PathBuf, CliError> {
    let unknown = |error: std::io::Error| {
        CliError::failed(format!("cannot find the running program: {error}"))
    };
    let real = settle::program().map_err(unknown)?;
    let cwd = std::env::current_dir().map_err(unknown)?;
    let argv0 = std::env::args_os().next().unwrap_or_default();
    let search = variable("PATH").unwrap_or_default();
    Ok(invoked::path(&argv0, &search, &cwd, &real))
}

fn text(program: &Path) -> String {
    let variables: Vec<(&str, String)> = ["SURFACED_HOME", "SURFACED_CONFIG"]
        .into_iter()
        .filter_map(|name| Some((name, variable(name)?.into_string().ok()?)))
        .filter(|(_, value)| !value.is_empty())
        .collect();
    if cfg!(target_os = "macos") {
        service_file::launchd(program, &variables)
    } else {
        service_file::systemd(program, &variables)
    }
}

fn variable(name: &str) -> Option<OsString> {
    #[expect(
        clippy::disallowed_methods,
        reason = "the command line's edge: what the service has to know of this environment"
    )]
    std::env::var_os(name)
}

fn write(path: &Path, text: &str) -> Result<(), CliError> {
    let parent = path.parent().unwrap_or(path);
    std::fs::create_dir_all(parent)
        .and_then(|()| std::fs::write(path, text))
        .map_err(|error| failed("write", path, &error))
}

fn enable(link: &Path, file: &Path) -> Result<(), CliError> {
    let parent = link.parent().unwrap_or(link);
    std::fs::create_dir_all(parent)
        .and_then(|()| match std::fs::remove_file(link) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(error),
            _ => std::os::unix::fs::symlink(file, link),
        })
        .map_err(|error| failed("enable the service at", link, &error))
}

fn failed(doing: &str, path: &Path, error: &std::io::Error) -> CliError {
    CliError::failed(format!("cannot {doing} {}: {error}", path.display())).kind(Kind::Permission)
}
