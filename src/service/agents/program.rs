//! Which program a provider's command is, and how it is run so that the person's shell has set it up.

use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::launch::quote::Style;
use crate::launch::shell::{Program, Shell};
use crate::proto::provider::TerminalCommand;
use crate::proto::{Argv, Env, Failure, Kind};
use crate::provider::{Provider, Version};
use crate::service::machine::is_program;
use crate::service::path_capture::{Lookup, PathCapture, search};
use crate::service::providers::{Health, Installed};

/// How often is asked for a program that nobody knows of yet: each time waits for a blink. The shell that would have to find
/// it takes as long to start.
const LOOKS: u32 = 15;

/// How long is waited for a program to tell its version. It is asked once for each file.
const VERSION: Duration = Duration::from_secs(3);

/// Where programs are found.
#[derive(Clone)]
pub struct Programs {
    /// The providers, and which versions of their programs are here.
    pub installed: Installed,
    /// The PATH of the interactive shell.
    pub paths: PathCapture,
    /// The shell that wraps commands here.
    pub shell: Shell,
    /// PATH of the daemon.
    pub path: String,
}

impl Programs {
    /// A provider.
    ///
    /// # Errors
    /// `not-found`, with the ids that there are.
    pub(super) fn provider(&self, id: &str) -> Result<Provider, Failure> {
        self.installed.providers().find(id).cloned()
    }

    /// What is known of its program at this moment. `None`: it has not said anything in time.
    pub(super) async fn health(&self, provider: &Provider) -> Option<Health> {
        let health = self.installed.health_now(provider);
        tokio::time::timeout(VERSION, health).await.ok()
    }

    /// The version of its program, which decides the form of its words. `None`, which is today's: nobody knows.
    pub(super) async fn version(&self, provider: &Provider) -> Option<Version> {
        let health = self.installed.health(provider, None);
        let health = tokio::time::timeout(VERSION, health).await;
        health.ok()?.version()
    }

    /// The command with the program as it is found: on the PATH of the interactive shell by its name, elsewhere by its path.
    /// Where nobody knows yet, the shell itself looks.
    ///
    /// # Errors
    /// `program-missing`.
    pub(super) async fn find(
        &self,
        provider: &Provider,
        command: &TerminalCommand,
        cwd: &str,
        env: &Env,
    ) -> Result<Argv, Failure> {
        let program = self.program(provider, &command.command, cwd, env).await?;
        argv(program, &command.args)
    }

    async fn program(
        &self,
        provider: &Provider,
        program: &str,
        cwd: &str,
        env: &Env,
    ) -> Result<String, Failure> {
        if program.contains('/') {
            let path = Path::new(cwd).join(program);
            return if is_program(&path) {
                Ok(program.to_owned())
            } else {
                Err(missing(provider, program, "there"))
            };
        }
        let text = |path: PathBuf| path.to_string_lossy().into_owned();
        let own = env.iter().find(|(name, _)| name.as_str() == "PATH");
        if let Some((_, path)) = own {
            return search(path, program)
                .map(text)
                .ok_or_else(|| missing(provider, program, "on the PATH that it was given"));
        }
        for _ in 0..LOOKS {
            let known = self.paths.find(self.shell.program(), program).await;
            if let Lookup::Found(_) = known {
                return Ok(program.to_owned());
            }
            if let Some(path) = search(&self.path, program) {
                return Ok(text(path));
            }
            if let Lookup::Missing(_) = known {
                return Err(missing(provider, program, "on the PATH of your shell"));
            }
        }
        Ok(program.to_owned())
    }

    /// The words that run a command in the interactive shell, which then becomes the command.
    pub(super) fn wrapped(&self, argv: &Argv) -> Vec<String> {
        match self.shell.line(None, Program::Argv(argv), Style::Quoted) {
            Some(line) => self.shell.wrap(line).into(),
            None => argv.texts(),
        }
    }
}

/// A program and its arguments as a command.
///
/// # Errors
/// Words that no command can hold.
pub(super) fn argv(program: String, args: &[String]) -> Result<Argv, Failure> {
    Argv::parse(std::iter::once(program).chain(args.iter().cloned()))
        .map_err(|error| Failure::params("", format!("the command {error}")))
}

fn missing(provider: &Provider, program: &str, place: &str) -> Failure {
    let id = provider.id();
    Failure::new(
        Kind::ProgramMissing,
        format!("{} cannot be started: the program {program} is not {place}", provider.label()),
    )
    .hint(format!(
        "install it; an alias or a function of your shell is no program: name what it stands for as \
         `command` of [providers.{id}] in the configuration file"
    ))
}
