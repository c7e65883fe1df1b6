//! `$TMUX` and `$TMUX_PANE`: what they say, if they are tmux's at all.

use crate::proto::text::shown;
use std::collections::BTreeMap;

/// A place in tmux.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InTmux {
    /// The socket of the server.
    pub socket: String,
    /// The server's process.
    pub server: u32,
    /// The number of the session, without `$`.
    pub session: Option<u32>,
    /// The number of the window, without `@`; known when the server was asked.
    pub window: Option<u32>,
    /// The number of the pane, without `%`; unknown in a job of tmux itself.
    pub pane: Option<u32>,
}

/// What the variables say. `Ok(None)`: nothing.
///
/// # Errors
/// Why they are not tmux's: programs that look like tmux to others set them too.
pub fn read(env: &BTreeMap<String, String>) -> Result<Option<InTmux>, String> {
    let Some(value) = env.get("TMUX").filter(|value| !value.is_empty()) else {
        return Ok(None);
    };
    let malformed = || {
        format!(
            "$TMUX is {value}, which is not what tmux sets",
            value = shown(value)
        )
    };
    let mut parts = value.rsplitn(3, ',');
    let session = parts.next().and_then(number).ok_or_else(malformed)?;
    let server = parts.next().and_then(number).ok_or_else(malformed)?;
    let socket = parts.next().ok_or_else(malformed)?;
    if !socket.starts_with('/') || server == 0 {
        return Err(malformed());
    }
    if env.contains_key("CMUX_SOCKET_PATH")
        || socket.split('/').any(|part| part.starts_with("cmux"))
    {
        return Err(format!(
            "$TMUX is {value}, which cmux sets without being tmux",
            value = shown(value)
        ));
    }
    let pane = match env.get("TMUX_PANE").filter(|pane| !pane.is_empty()) {
        None => None,
        Some(pane) => {
            let number = pane.strip_prefix('%').and_then(number);
            let why = || {
                format!(
                    "$TMUX_PANE is {pane}, which is not a pane of tmux",
                    pane = shown(pane)
                )
            };
            Some(number.ok_or_else(why)?)
        }
    };
    Ok(Some(InTmux {
        socket: socket.to_owned(),
        server,
        session: Some(session),
        window: None,
        pane,
    }))
}

fn number(text: &str) -> Option<u32> {
    let digits = !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    digits.then(|| text.parse().ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn env(tmux: &str, pane: Option<&str>) -> BTreeMap<String, String> {
        let mut env = BTreeMap::from([("TMUX".to_owned(), tmux.to_owned())]);
        env.extend(pane.map(|pane| ("TMUX_PANE".to_owned(), pane.to_owned())));
        env
    }

    #[test]
    fn what_tmux_sets_is_read() {
        let place = read(&env("/tmp/tmux-501/a,b,812,3", Some("%17"))).unwrap();
        let place = place.unwrap();
        assert_eq!(place.socket, "/tmp/tmux-501/a,b");
        assert_eq!(place.server, 812);
        assert_eq!(place.session, Some(3));
        assert_eq!(place.pane, Some(17));
        assert_eq!(read(&env("/t,1,0", None)).unwrap().unwrap().pane, None);
        assert_eq!(read(&BTreeMap::new()), Ok(None));
        assert_eq!(read(&env("", None)), Ok(None));
    }

    #[test]
    fn what_others_set_is_refused_with_the_reason() {
        for (tmux, pane) in [
            ("x", None),
            ("/t", None),
            ("/t,1", None),
            ("t,1,0", None),
            ("/t,x,0", None),
            ("/t,1,$0", None),
            ("/t,0,0", None),
            ("/t,-1,0", None),
            ("/tmp/tmux-0/default,1,0", Some("%F3A5-")),
            ("/tmp/tmux-0/default,1,0", Some("1")),
            ("/tmp/cmux/x,1,0", None),
            ("/tmp/cmux-501/x,1,0", Some("%1")),
        ] {
            let reason = read(&env(tmux, pane)).unwrap_err();
            assert!(reason.starts_with("$TMUX"), "{reason}");
        }
    }
}
