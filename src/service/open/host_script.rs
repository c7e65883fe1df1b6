//! Launch scripts on hosts: written by the host's own `sh`, their text on its input and so in nobody's argv.

use crate::launch::step::Invocation;
use crate::proto::{Failure, Kind};
use crate::transport::Transport;

/// Writes its input into a fresh directory of the user's own and prints the path.
const WRITE: &str = r#"umask 077
root=/tmp/surfaced-$(id -u) || exit 1
mkdir -m 700 "$root" 2>/dev/null
[ -d "$root" ] && [ ! -L "$root" ] && [ -O "$root" ] || { echo "$root is not a directory of your own" >&2; exit 1; }
chmod 700 "$root" && dir=$(mktemp -d "$root/launch-XXXXXXXXXXXX") || exit 1
cat >"$dir/launch" && printf '%s\n' "$dir/launch" && exit
rm -rf -- "$dir"
exit 1"#;

/// Places a launch script and returns its path: with the first command that names it where the transport can, else at once.
///
/// # Errors
/// What the host fails with, `spawn-failed` where it cannot be written there.
pub(crate) async fn place(transport: &dyn Transport, text: &str) -> Result<String, Failure> {
    match transport.promise_script(text.to_owned()).await? {
        Some(path) => Ok(path),
        None => write(transport, text).await,
    }
}

/// Writes a launch script and returns its path.
async fn write(transport: &dyn Transport, text: &str) -> Result<String, Failure> {
    let invocation = Invocation {
        stdin: Some(text.as_bytes().to_vec()),
        ..Invocation::new(["/bin/sh", "-c", WRITE])
    };
    let answer = transport.run(invocation).await?;
    let path = answer.text().trim_end().to_owned();
    if answer.ok() && path.starts_with("/tmp/surfaced-") && path.ends_with("/launch") {
        Ok(path)
    } else {
        let complaint = answer.complaint();
        let failure = Failure::new(
            Kind::SpawnFailed,
            format!("cannot write a launch script on the host: {complaint}"),
        );
        Err(if complaint.contains("No space left") {
            failure.hint("make room in /tmp of the host: `df /tmp` there shows it")
        } else {
            failure.hint("launch scripts go into /tmp/surfaced-UID of the host, which has to be yours and writable")
        })
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;
    use crate::transport::Local;

    #[tokio::test]
    async fn the_host_keeps_it_to_its_user() {
        let path = write(&Local::new("/usr/bin:/bin"), "exit 7\n")
            .await
            .unwrap();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "exit 7\n");
        assert_eq!(
            std::fs::metadata(&path).unwrap().permissions().mode() & 0o777,
            0o600
        );
        let dir = std::path::Path::new(&path).parent().unwrap();
        assert_eq!(
            std::fs::metadata(dir).unwrap().permissions().mode() & 0o777,
            0o700
        );
        std::fs::remove_dir_all(dir).unwrap();
    }
}
