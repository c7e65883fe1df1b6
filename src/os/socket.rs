//! A listening socket that appears at its path complete: bound, private and listening.

use std::io;
use std::os::unix::fs::{FileTypeExt, MetadataExt, PermissionsExt};
use std::os::unix::net::UnixListener as StdListener;
use std::path::{Path, PathBuf};

use interprocess::local_socket::{GenericFilePath, ListenerOptions, ToFsName};
use interprocess::os::unix::local_socket::ListenerOptionsExt;
use tokio::net::{UnixListener, UnixStream};

use super::private_dir::{self, DirError};

/// Why nothing listens at a path.
#[derive(Debug, thiserror::Error)]
pub enum BindError {
    /// Its directory is not private.
    #[error(transparent)]
    Dir(#[from] DirError),
    /// Some other program listens there.
    #[error("another program listens at {0}")]
    Foreign(PathBuf),
    /// There is a file that is no socket.
    #[error("{0} is in the way: it is not a socket")]
    InTheWay(PathBuf),
    /// The system refused.
    #[error("cannot listen at {path}: {source}")]
    Io {
        /// The socket.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
}

/// A socket of ours that listens.
#[derive(Debug)]
pub struct Bound {
    /// Connections arrive here.
    pub listener: UnixListener,
    place: Place,
}

/// The file of a socket, and which one it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    path: PathBuf,
    id: (u64, u64),
}

impl Place {
    /// Whether the file at the path is still this one.
    #[must_use]
    pub fn is_in_place(&self) -> bool {
        identity(&self.path).is_ok_and(|id| id == self.id)
    }

    /// Removes the file, unless another one has taken its path.
    pub fn unlink(&self) {
        if self.is_in_place() {
            let _ = std::fs::remove_file(&self.path);
        }
    }
}

/// Listens at a path: binds a temporary name beside it with mode 0600, listens, and renames it into place, over a socket
/// that nobody listens at any more. The caller must hold the daemon's lock.
///
/// # Errors
/// A path where somebody listens, or where something else than a socket is, is refused and left as it is.
pub async fn bind(path: &Path) -> Result<Bound, BindError> {
    let failed = |source: io::Error| BindError::Io {
        path: path.to_owned(),
        source,
    };
    if let Some(dir) = path.parent() {
        private_dir::ensure(dir)?;
    }
    match path.symlink_metadata() {
        Ok(meta) if !meta.file_type().is_socket() => {
            return Err(BindError::InTheWay(path.to_owned()));
        }
        Ok(_) if is_listening(path).await => return Err(BindError::Foreign(path.to_owned())),
        _ => {}
    }
    // Not longer than the name itself, which was measured against the limit.
    let staged = path.with_extension("new");
    match std::fs::remove_file(&staged) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(failed(error)),
        _ => {}
    }
    let listener = listen(&staged).map_err(failed)?;
    let id = identity(&staged).map_err(failed)?;
    std::fs::rename(&staged, path).map_err(failed)?;
    Ok(Bound {
        listener,
        place: Place {
            path: path.to_owned(),
            id,
        },
    })
}

impl Bound {
    /// The file of the socket.
    #[must_use]
    pub fn place(&self) -> Place {
        self.place.clone()
    }
}

fn listen(path: &Path) -> io::Result<UnixListener> {
    let mut options = ListenerOptions::new()
        .name(path.to_fs_name::<GenericFilePath>()?)
        .reclaim_name(false);
    if cfg!(target_os = "linux") {
        options = options.mode(0o600);
    }
    let interprocess::local_socket::Listener::UdSocket(listener) = options.create_sync()?;
    let listener = StdListener::from(listener);
    // macOS has no mode of a socket before it is bound; there the private directory is the guard until here.
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o600))?;
    listener.set_nonblocking(true)?;
    UnixListener::from_std(listener)
}

/// Whether a program listens at a path, one that is stopped or has a full queue included.
pub async fn is_listening(path: &Path) -> bool {
    match UnixStream::connect(path).await {
        Ok(_) => true,
        Err(error) => error.kind() == io::ErrorKind::WouldBlock,
    }
}

fn identity(path: &Path) -> io::Result<(u64, u64)> {
    let meta = path.symlink_metadata()?;
    Ok((meta.dev(), meta.ino()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_stale_socket_is_replaced_and_a_live_one_is_not() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("run/d.sock");
        let first = bind(&path).await.unwrap();
        assert_eq!(path.metadata().unwrap().permissions().mode() & 0o777, 0o600);
        assert!(is_listening(&path).await);
        assert!(matches!(bind(&path).await, Err(BindError::Foreign(_))));
        drop(first.listener);
        assert!(!is_listening(&path).await);
        let second = bind(&path).await.unwrap();
        assert!(second.place().is_in_place());
        assert!(!first.place.is_in_place());
        first.place.unlink();
        assert!(path.exists());
        second.place().unlink();
        assert!(!path.exists());
        assert_eq!(
            std::fs::read_dir(path.parent().unwrap()).unwrap().count(),
            0
        );
    }

    #[tokio::test]
    async fn a_file_in_the_way_is_left_alone() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("d.sock");
        std::fs::write(&path, "mine").unwrap();
        assert!(matches!(bind(&path).await, Err(BindError::InTheWay(_))));
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "mine");
    }
}
