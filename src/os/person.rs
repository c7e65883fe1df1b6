//! The person whose daemon this is, in the words of the password database.

use std::path::PathBuf;

use uzers::os::unix::UserExt;

/// An entry of the password database.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Person {
    /// The user's number.
    pub uid: u32,
    /// The user's name.
    pub name: String,
    /// The home directory. Variables such as HOME do not change it.
    pub home: PathBuf,
    /// The login shell.
    pub shell: PathBuf,
}

impl Person {
    /// The user of this process; `None` where the database does not know it, as in some containers.
    #[must_use]
    pub fn current() -> Option<Self> {
        let uid = uid();
        let user = uzers::get_user_by_uid(uid)?;
        Some(Self {
            uid,
            name: user.name().to_string_lossy().into_owned(),
            home: user.home_dir().to_owned(),
            shell: user.shell().to_owned(),
        })
    }
}

/// The number of the user of this process.
#[must_use]
pub fn uid() -> u32 {
    rustix::process::getuid().as_raw()
}
