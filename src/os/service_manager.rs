//! The program that starts services at login: systemd, or launchd on macOS.

use std::path::PathBuf;
use std::process::Stdio;
use std::time::Duration;

use etcetera::BaseStrategy;
use tokio::time::timeout;

use super::person;

/// How long the service manager may take.
const PATIENCE: Duration = Duration::from_secs(20);

/// Where a service is described.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The name by which the manager knows it.
    pub name: String,
    /// The file that describes it.
    pub file: PathBuf,
    /// A link to the file that makes it start at login; `None`: the file alone does.
    pub enabled_by: Option<PathBuf>,
}

/// The place for this user, by HOME and the XDG variables as the managers themselves go by. `None`: no home directory.
#[must_use]
pub fn place(label: &str) -> Option<Place> {
    if cfg!(target_os = "macos") {
        let home = etcetera::home_dir().ok()?;
        return Some(Place {
            name: label.to_owned(),
            file: home.join(format!("Library/LaunchAgents/{label}.plist")),
            enabled_by: None,
        });
    }
    let units = etcetera::base_strategy::Xdg::new()
        .ok()?
        .config_dir()
        .join("systemd/user");
    let name = "surfaced.service".to_owned();
    Some(Place {
        file: units.join(&name),
        enabled_by: Some(units.join("default.target.wants").join(&name)),
        name,
    })
}

/// Has the manager read the file and start the service.
///
/// # Errors
/// What the manager says, in one line.
pub async fn start(place: &Place) -> Result<(), String> {
    if cfg!(target_os = "macos") {
        let file = place.file.display().to_string();
        // Fails where it is not loaded, which is as good.
        let _ = launchctl(&["bootout", &service(place)]).await;
        launchctl(&["bootstrap", &domain(), &file]).await
    } else {
        systemctl(&["daemon-reload"]).await?;
        systemctl(&["restart", &place.name]).await
    }
}

/// Has the manager stop the service.
///
/// # Errors
/// What the manager says, in one line.
pub async fn stop(place: &Place) -> Result<(), String> {
    if cfg!(target_os = "macos") {
        launchctl(&["bootout", &service(place)]).await
    } else {
        systemctl(&["stop", &place.name]).await
    }
}

/// Tells the manager that the file is gone.
pub async fn forget(_place: &Place) {
    if !cfg!(target_os = "macos") {
        let _ = systemctl(&["daemon-reload"]).await;
    }
}

fn domain() -> String {
    format!("gui/{}", person::uid())
}

fn service(place: &Place) -> String {
    format!("{}/{}", domain(), place.name)
}

async fn launchctl(args: &[&str]) -> Result<(), String> {
    run("launchctl", args).await
}

async fn systemctl(args: &[&str]) -> Result<(), String> {
    let args: Vec<&str> = ["--user"].iter().chain(args).copied().collect();
    run("systemctl", &args).await
}

async fn run(program: &str, args: &[&str]) -> Result<(), String> {
    #[expect(
        clippy::disallowed_methods,
        reason = "a short command of the system's own, waited for here"
    )]
    let output = tokio::process::Command::new(program)
        .args(args)
        .stdin(Stdio::null())
        .kill_on_drop(true)
        .output();
    let line = format!("{program} {}", args.join(" "));
    match timeout(PATIENCE, output).await {
        Err(_) => Err(format!("{line} did not end")),
        Ok(Err(error)) => Err(format!("{line}: {error}")),
        Ok(Ok(output)) if output.status.success() => Ok(()),
        Ok(Ok(output)) => {
            let complaint = String::from_utf8_lossy(&output.stderr);
            let last = complaint.lines().next().unwrap_or("no reason given");
            Err(format!("{line}: {last}"))
        }
    }
}
