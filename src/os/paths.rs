//! Where things are: the home of the daemon, its socket and its configuration file.

use std::ffi::OsString;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use super::person::{self, Person};
use super::private_dir::{self, DirError};

/// The name of the lock, by which a home is known.
const LOCK: &str = "daemon.lock";

/// The longest path of a socket, in bytes: `sun_path` without its final NUL.
#[cfg(target_os = "linux")]
pub const LONGEST_SOCKET: usize = 107;
/// The longest path of a socket, in bytes: `sun_path` without its final NUL.
#[cfg(not(target_os = "linux"))]
pub const LONGEST_SOCKET: usize = 103;

/// Why there are no paths.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PathsError {
    /// A variable holds a relative path, which would mean another place for each caller.
    #[error("{variable} must be an absolute path, not {value:?}")]
    Relative {
        /// The variable.
        variable: &'static str,
        /// What it holds.
        value: OsString,
    },
    /// A place that is not UTF-8, which neither `daemon.json` nor a reply can name.
    #[error("{variable} must be UTF-8, not {value:?}")]
    NotText {
        /// The variable.
        variable: &'static str,
        /// What it holds.
        value: OsString,
    },
    /// The password database does not know the user.
    #[error("user {uid} has no home directory in the password database; set SURFACED_HOME")]
    NoHome {
        /// The user.
        uid: u32,
    },
}

/// The places of one daemon.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Paths {
    /// Its home: lock, `daemon.json`, log and records.
    pub home: PathBuf,
    /// Its configuration file.
    pub config: PathBuf,
    /// Where it listens.
    pub socket: PathBuf,
    /// What a process needs in its environment to come to the same places.
    pub variables: Vec<(&'static str, PathBuf)>,
    /// For what must have a short or a random name: launch scripts, and sockets whose own path would be too long.
    pub temporary: PathBuf,
}

/// What the paths depend on.
#[derive(Clone, Debug, Default)]
struct Surroundings {
    surfaced_home: Option<OsString>,
    surfaced_config: Option<OsString>,
    uid: u32,
    home: Option<PathBuf>,
    /// `/run/user/<uid>` where it exists and is the user's.
    runtime: Option<PathBuf>,
}

impl Paths {
    /// The places of this user's daemon. `SURFACED_HOME` and `SURFACED_CONFIG` are the only variables that count, since two
    /// callers must never reach two daemons.
    ///
    /// # Errors
    /// A relative path or one that is not UTF-8 in one of them, and a user without a home directory.
    pub fn current() -> Result<Self, PathsError> {
        let uid = person::uid();
        let runtime = PathBuf::from(format!("/run/user/{uid}"));
        let ours = runtime
            .symlink_metadata()
            .is_ok_and(|meta| meta.is_dir() && meta.uid() == uid);
        Self::of(&Surroundings {
            surfaced_home: variable("SURFACED_HOME"),
            surfaced_config: variable("SURFACED_CONFIG"),
            uid,
            home: Person::current().map(|person| person.home),
            runtime: ours.then_some(runtime),
        })
    }

    /// The places of the daemon of a home of its own, as with `SURFACED_HOME`.
    ///
    /// # Errors
    /// A relative path.
    pub fn in_home(home: &Path) -> Result<Self, PathsError> {
        Self::of(&Surroundings {
            surfaced_home: Some(home.into()),
            uid: person::uid(),
            ..Surroundings::default()
        })
    }

    fn of(here: &Surroundings) -> Result<Self, PathsError> {
        let own = absolute("SURFACED_HOME", here.surfaced_home.as_ref())?;
        let config = absolute("SURFACED_CONFIG", here.surfaced_config.as_ref())?;
        let person = || {
            let home = here.home.clone();
            let home = home.ok_or(PathsError::NoHome { uid: here.uid })?;
            match home.to_str() {
                Some(_) => Ok(home),
                None => Err(PathsError::NotText {
                    variable: "the home directory in the password database",
                    value: home.into(),
                }),
            }
        };
        let variables = [("SURFACED_HOME", &own), ("SURFACED_CONFIG", &config)]
            .into_iter()
            .filter_map(|(name, path)| Some((name, path.clone()?)))
            .collect();
        let home = match &own {
            Some(home) => home.clone(),
            None if cfg!(target_os = "macos") => {
                person()?.join("Library/Application Support/surfaced")
            }
            None => person()?.join(".local/state/surfaced"),
        };
        let config = match (config, &own) {
            (Some(config), _) => config,
            (None, Some(home)) => home.join("config.toml"),
            (None, None) => person()?.join(".config/surfaced/config.toml"),
        };
        let temporary = PathBuf::from(format!("/tmp/surfaced-{}", here.uid));
        let socket = match (&own, &here.runtime) {
            (Some(home), _) => home.join("d.sock"),
            (None, Some(runtime)) => runtime.join("surfaced/d.sock"),
            (None, None) => home.join("run/d.sock"),
        };
        Ok(Self {
            socket: short(socket, &temporary),
            home,
            config,
            variables,
            temporary,
        })
    }

    /// Makes sure that the home exists and is private. True: it was open to others and is closed now.
    ///
    /// # Errors
    /// A home that cannot be, that holds other files and is open to others, or that holds anything and others may write into.
    pub fn ensure_home(&self) -> Result<bool, DirError> {
        private_dir::ensure_chosen(&self.home, LOCK, &["config.toml"])
    }

    /// The file whose lock makes a process the daemon.
    #[must_use]
    pub fn lock(&self) -> PathBuf {
        self.home.join(LOCK)
    }

    /// The file that tells clients where the daemon listens.
    #[must_use]
    pub fn instance(&self) -> PathBuf {
        self.home.join("daemon.json")
    }

    /// The link that is the daemon's `SSH_AUTH_SOCK`; it is pointed at the agent of whoever asked last.
    #[must_use]
    pub fn agent(&self) -> PathBuf {
        self.socket.with_extension("agent")
    }

    /// The directory of control sockets of ssh. They get a name of 16 characters in it, to which ssh adds another 17 for a moment.
    #[must_use]
    pub fn ssh(&self) -> PathBuf {
        // ssh reads the path as a line of its configuration, with quotes, blanks, `%` and `~` that mean something.
        let plain = |byte: &u8| byte.is_ascii_alphanumeric() || b"/._-+@".contains(byte);
        let dir = self.socket.with_extension("ssh");
        let bytes = dir.as_os_str().as_bytes();
        if bytes.iter().all(plain) && bytes.len() + 17 + 17 <= LONGEST_SOCKET {
            dir
        } else {
            let name = fnv1a(bytes);
            self.temporary.join(format!("{name:016x}.ssh"))
        }
    }

    /// The log.
    #[must_use]
    pub fn log(&self) -> PathBuf {
        self.home.join("daemon.log")
    }
}

/// `SURFACED_SOCKET`: a socket that is used instead of looking for the daemon.
///
/// # Errors
/// A relative path.
pub fn socket_override() -> Result<Option<PathBuf>, PathsError> {
    absolute("SURFACED_SOCKET", variable("SURFACED_SOCKET").as_ref())
}

/// The variable where it is set and not empty.
fn variable(name: &str) -> Option<OsString> {
    #[expect(
        clippy::disallowed_methods,
        reason = "the variables that say where the daemon is are read here and nowhere else"
    )]
    std::env::var_os(name).filter(|value| !value.is_empty())
}

fn absolute(
    variable: &'static str,
    value: Option<&OsString>,
) -> Result<Option<PathBuf>, PathsError> {
    match value.map(PathBuf::from) {
        Some(path) if path.is_relative() => Err(PathsError::Relative {
            variable,
            value: path.into(),
        }),
        Some(path) if path.to_str().is_none() => Err(PathsError::NotText {
            variable,
            value: path.into(),
        }),
        // Without `.` and doubled or trailing slashes: one place has one name, and one socket.
        path => Ok(path.map(|path| path.components().collect())),
    }
}

/// The path itself, or a name made from it under `temporary` where it is too long for a socket.
#[must_use]
pub fn short(path: PathBuf, temporary: &Path) -> PathBuf {
    if path.as_os_str().len() <= LONGEST_SOCKET {
        path
    } else {
        temporary.join(format!("{:016x}.sock", fnv1a(path.as_os_str().as_bytes())))
    }
}

/// FNV-1a with 64 bits. The standard library's hashers may change between versions, and versions must agree on the name.
fn fnv1a(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn here() -> Surroundings {
        Surroundings {
            uid: 1000,
            home: Some("/home/me".into()),
            ..Surroundings::default()
        }
    }

    #[test]
    fn control_sockets_of_ssh_have_short_paths() {
        for home in [
            "/x",
            &format!("/{}", "y".repeat(70)),
            &format!("/{}", "y".repeat(200)),
        ] {
            let paths = Paths::of(&Surroundings {
                surfaced_home: Some(home.into()),
                ..here()
            })
            .unwrap();
            let longest = paths.ssh().join("0123456789abcdef").as_os_str().len() + 17;
            assert!(longest <= LONGEST_SOCKET, "{home}: {longest}");
        }
    }

    #[test]
    fn control_sockets_of_ssh_need_no_quotes() {
        for home in [
            "/x/Application Support",
            "/x/a'b",
            "/x/a\"b",
            "/x/a%hb",
            "/x/~",
            "/x/$(y)",
            "/x/\u{e4}",
        ] {
            let paths = Paths::of(&Surroundings {
                surfaced_home: Some(home.into()),
                ..here()
            })
            .unwrap();
            assert!(paths.ssh().starts_with("/tmp/surfaced-1000"), "{home}");
        }
    }

    #[test]
    fn surfaced_home_holds_everything() {
        let paths = Paths::of(&Surroundings {
            surfaced_home: Some("/x//y/./".into()),
            runtime: Some("/run/user/1000".into()),
            ..here()
        })
        .unwrap();
        assert_eq!(paths.home, Path::new("/x/y"));
        assert_eq!(paths.socket, Path::new("/x/y/d.sock"));
        assert_eq!(paths.config, Path::new("/x/y/config.toml"));
        assert_eq!(paths.lock(), Path::new("/x/y/daemon.lock"));
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn without_it_the_places_are_the_persons() {
        let paths = Paths::of(&here()).unwrap();
        assert_eq!(paths.home, Path::new("/home/me/.local/state/surfaced"));
        assert_eq!(
            paths.socket,
            Path::new("/home/me/.local/state/surfaced/run/d.sock")
        );
        assert_eq!(
            paths.config,
            Path::new("/home/me/.config/surfaced/config.toml")
        );
        let paths = Paths::of(&Surroundings {
            runtime: Some("/run/user/1000".into()),
            ..here()
        })
        .unwrap();
        assert_eq!(paths.socket, Path::new("/run/user/1000/surfaced/d.sock"));
    }

    #[test]
    fn the_configuration_can_be_elsewhere() {
        let paths = Paths::of(&Surroundings {
            surfaced_home: Some("/x".into()),
            surfaced_config: Some("/etc/s.toml".into()),
            ..here()
        })
        .unwrap();
        assert_eq!(paths.config, Path::new("/etc/s.toml"));
        let variables = [
            ("SURFACED_HOME", PathBuf::from("/x")),
            ("SURFACED_CONFIG", PathBuf::from("/etc/s.toml")),
        ];
        assert_eq!(paths.variables, variables);
    }

    #[test]
    fn long_paths_get_a_short_name_of_their_own() {
        let long = |last: &str| {
            Paths::of(&Surroundings {
                surfaced_home: Some(format!("/{}/{last}", "long/".repeat(30)).into()),
                ..here()
            })
            .unwrap()
            .socket
        };
        let socket = long("a");
        assert!(socket.starts_with("/tmp/surfaced-1000"), "{socket:?}");
        assert!(socket.as_os_str().len() <= LONGEST_SOCKET);
        assert_eq!(socket, long("a"));
        assert_ne!(socket, long("b"));
        let edge = PathBuf::from(format!("/{}", "x".repeat(LONGEST_SOCKET - 1)));
        assert_eq!(short(edge.clone(), Path::new("/t")), edge);
    }

    #[test]
    fn relative_and_missing_places_are_refused() {
        let relative = Paths::of(&Surroundings {
            surfaced_home: Some("state".into()),
            ..here()
        });
        assert_eq!(
            relative.unwrap_err().to_string(),
            "SURFACED_HOME must be an absolute path, not \"state\""
        );
        let name = OsString::from(std::ffi::OsStr::from_bytes(b"/x/\xff"));
        for here in [
            Surroundings {
                surfaced_home: Some(name.clone()),
                ..here()
            },
            Surroundings {
                surfaced_config: Some(name.clone()),
                ..here()
            },
            Surroundings {
                home: Some(name.clone().into()),
                ..here()
            },
        ] {
            let error = Paths::of(&here).unwrap_err();
            assert!(matches!(error, PathsError::NotText { .. }), "{error}");
        }
        let nobody = Paths::of(&Surroundings {
            home: None,
            ..here()
        });
        assert_eq!(nobody.unwrap_err(), PathsError::NoHome { uid: 1000 });
    }
}
