//! Values of options and arguments.

use std::ffi::OsStr;
use std::path::Path;

use super::exit::CliError;
use crate::os::environment::exported;
use crate::proto::{AbsolutePath, Argv, Env, EnvName, Failure, HostAlias, Word};

/// Words as an argv; none: `None`.
pub(super) fn command(words: &[String]) -> Result<Option<Argv>, CliError> {
    if words.is_empty() {
        return Ok(None);
    }
    let words = words
        .iter()
        .map(|text| word("the command", text))
        .collect::<Result<Vec<_>, _>>()?;
    Argv::try_from(words)
        .map(Some)
        .map_err(|error| CliError::usage(format!("the command {error}")))
}

/// A word that may be no text, as the system hands them over.
pub(super) fn text<'a>(what: &str, word: &'a OsStr) -> Result<&'a str, CliError> {
    word.to_str().ok_or_else(|| {
        let shown = word.to_string_lossy();
        CliError::usage(format!("{what} {shown:?} is not UTF-8, and cannot be sent"))
    })
}

/// A directory as an absolute path, from where the command line is.
pub(super) fn directory(dir: &Path) -> Result<AbsolutePath, CliError> {
    let absolute = std::path::absolute(dir).map_err(|error| {
        CliError::usage(format!(
            "the directory {} cannot be used: {error}",
            dir.display()
        ))
    })?;
    AbsolutePath::try_from(absolute)
        .map_err(|error| CliError::usage(format!("the directory {error}")))
}

/// Checks that the directory of the command line is one that the daemon can open things in: where it is not, the daemon would
/// take another one.
pub(super) fn here() -> Result<(), CliError> {
    current().map(|_| ())
}

/// The directory of the command line.
pub(super) fn current() -> Result<AbsolutePath, CliError> {
    directory(".".as_ref()).map_err(|error| CliError {
        message: error
            .message
            .replacen("the directory", "the working directory", 1),
        ..error.hint("change to another directory, or name one with -C")
    })
}

/// A directory of a host, where nobody is in any.
pub(super) fn directory_on(host: &str, dir: &Path) -> Result<AbsolutePath, CliError> {
    self::host(host)?;
    if dir.is_absolute() {
        return directory(dir);
    }
    Err(CliError::usage(format!(
        "the directory {} is relative, and there is none on {host} to start from",
        dir.display()
    ))
    .hint("give an absolute path of the host, such as -C /srv/app"))
}

/// A word; `what` names it in the error.
pub(super) fn word(what: &str, text: &str) -> Result<Word, CliError> {
    Word::parse(text).map_err(|error| CliError::usage(format!("{what} {error}")))
}

/// The name of a host, checked before anything is asked or run.
pub(super) fn host(text: &str) -> Result<Word, CliError> {
    HostAlias::parse(text).map_err(|error| {
        Failure::bad_host("", error.to_string())
            .hint("name a host of the ssh configuration: surfaced hosts lists them")
    })?;
    word("the host", text)
}

/// Variables as `NAME=VALUE`, or `NAME` for this process's own value; none: `None`.
pub(super) fn env(variables: &[String]) -> Result<Option<Env>, CliError> {
    let mut env = Env::new();
    for variable_or_pair in variables {
        let (name, value) = if let Some((name, value)) = variable_or_pair.split_once('=') {
            (name, value.to_owned())
        } else {
            let value = exported(variable_or_pair).ok_or_else(|| {
                CliError::usage(format!("the variable {variable_or_pair} is not set here"))
                    .hint("export it, or give its value with NAME=VALUE")
            })?;
            let value = value.into_string().map_err(|_| {
                CliError::usage(format!(
                    "the value of the variable {variable_or_pair} is not UTF-8, and cannot be sent"
                ))
            })?;
            (variable_or_pair.as_str(), value)
        };
        let name = EnvName::parse(name).map_err(|error| CliError::usage(error.to_string()))?;
        env.insert(name, word("the value", &value)?);
    }
    Ok((!env.is_empty()).then_some(env))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_come_with_a_value_or_from_the_environment() {
        let read = |words: &[&str]| {
            env(&words
                .iter()
                .map(|&word| word.to_owned())
                .collect::<Vec<_>>())
        };
        let read_env = read(&["A=b=c", "PATH"]).unwrap().unwrap();
        assert_eq!(read_env[&EnvName::parse("A").unwrap()].as_str(), "b=c");
        assert!(!read_env[&EnvName::parse("PATH").unwrap()].is_empty());
        assert!(read(&["9=x"]).is_err());
        assert_eq!(read(&[]).unwrap(), None);
    }
}
