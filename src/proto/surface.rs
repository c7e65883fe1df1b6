//! References to surfaces: strings on the wire that survive renames and restarts.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};

use super::host::HostAlias;
use super::text::TextError;
use super::text::shown;

/// What stays bare in a percent-encoded part: paths should stay readable.
const BARE: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'/')
    .remove(b'.')
    .remove(b'_')
    .remove(b'-')
    .remove(b'~')
    .remove(b'+')
    .remove(b',');

/// A tmux pane, named by the server's process and ids that it never reuses while it lives.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct TmuxPane {
    /// Process id of the tmux server.
    pub server: u32,
    /// The number of the window, without `@`.
    pub window: u32,
    /// The number of the pane, without `%`; absent for a window (the windows of `layout.open`).
    pub pane: Option<u32>,
    /// Path of the server's socket.
    pub socket: String,
    /// The host it lives on; absent: this machine.
    pub host: Option<HostAlias>,
}

/// A surface that exists or existed: which terminal it belongs to and what that terminal calls it.
///
/// On the wire: `tmux:<server pid>.@<w>.%<p>;socket=<percent-encoded>[;host=<alias>]`, `iterm::<GUID>`,
/// `ghostty::<UUID>`, `terminal::<tty>`, `builtin:<id>`, and `<backend>:<text>` for every other backend, whose text only
/// that backend reads. Those of a host, other than of tmux and `builtin`, end with `;host=<alias>` too.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum SurfaceRef {
    /// A pane or window of tmux.
    Tmux(TmuxPane),
    /// A session of iTerm2 by its GUID.
    Iterm(String),
    /// A terminal of Ghostty by its UUID.
    Ghostty(String),
    /// A tab of Terminal.app by its terminal device.
    Terminal(String),
    /// A terminal hosted by the daemon, by its id.
    Builtin(String),
    /// A surface of any other backend.
    Other {
        /// The backend's id.
        backend: String,
        /// What that backend calls it.
        text: String,
    },
    /// A surface of a host, other than of tmux.
    On {
        /// The host.
        host: HostAlias,
        /// The surface as the host itself names it.
        surface: Box<SurfaceRef>,
    },
}

impl SurfaceRef {
    /// The id of the backend that it belongs to.
    #[must_use]
    pub fn backend(&self) -> &str {
        match self {
            Self::Tmux(_) => "tmux",
            Self::Iterm(_) => "iterm",
            Self::Ghostty(_) => "ghostty",
            Self::Terminal(_) => "terminal",
            Self::Builtin(_) => "builtin",
            Self::Other { backend, .. } => backend,
            Self::On { surface, .. } => surface.backend(),
        }
    }

    /// The same surface, on a host.
    #[must_use]
    pub fn on(self, host: &HostAlias) -> Self {
        match self {
            Self::Tmux(pane) => Self::Tmux(TmuxPane {
                host: Some(host.clone()),
                ..pane
            }),
            Self::On { surface, .. } => surface.on(host),
            Self::Builtin(_) => self,
            surface => Self::On {
                host: host.clone(),
                surface: Box::new(surface),
            },
        }
    }

    /// The surface as its own machine names it. A pane of tmux keeps its host.
    #[must_use]
    pub fn there(&self) -> &Self {
        match self {
            Self::On { surface, .. } => surface,
            surface => surface,
        }
    }

    /// The host that it lives on; absent: this machine.
    #[must_use]
    pub fn host(&self) -> Option<&HostAlias> {
        match self {
            Self::Tmux(pane) => pane.host.as_ref(),
            Self::On { host, .. } => Some(host),
            _ => None,
        }
    }
}

impl fmt::Display for SurfaceRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Tmux(TmuxPane {
                server,
                window,
                pane,
                socket,
                host,
            }) => {
                write!(f, "tmux:{server}.@{window}")?;
                if let Some(pane) = pane {
                    write!(f, ".%{pane}")?;
                }
                write!(f, ";socket={}", utf8_percent_encode(socket, BARE))?;
                host.as_ref().map_or(Ok(()), |host| {
                    write!(f, ";host={}", utf8_percent_encode(host, BARE))
                })
            }
            Self::Iterm(id) => write!(f, "iterm::{id}"),
            Self::Ghostty(id) => write!(f, "ghostty::{id}"),
            Self::Terminal(tty) => write!(f, "terminal::{tty}"),
            Self::Builtin(id) => write!(f, "builtin:{id}"),
            Self::Other { backend, text } => write!(f, "{backend}:{text}"),
            Self::On { host, surface } => {
                write!(f, "{surface};host={}", utf8_percent_encode(host, BARE))
            }
        }
    }
}

impl FromStr for SurfaceRef {
    type Err = TextError;

    fn from_str(text: &str) -> Result<Self, TextError> {
        let bad = || {
            TextError(format!(
                "{text} is not a surface reference such as those `open` returns",
                text = shown(text)
            ))
        };
        if let Some((surface, host)) = of_host(text) {
            let surface: Self = surface.parse()?;
            return match surface.host() {
                None => Ok(surface.on(&host)),
                Some(_) => Err(bad()),
            };
        }
        let (backend, rest) = text.split_once(':').ok_or_else(bad)?;
        let id = |rest: &str| {
            let id = rest.strip_prefix(':').ok_or_else(bad)?;
            let good = !id.is_empty() && id.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-');
            if good { Ok(id.to_owned()) } else { Err(bad()) }
        };
        match backend {
            "tmux" => tmux(rest).map(Self::Tmux).ok_or_else(bad),
            "iterm" => id(rest).map(Self::Iterm),
            "ghostty" => id(rest).map(Self::Ghostty),
            "terminal" => {
                let tty = rest.strip_prefix(':').ok_or_else(bad)?;
                let good = tty.strip_prefix("/dev/").is_some_and(|name| {
                    !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'/')
                });
                if good {
                    Ok(Self::Terminal(tty.to_owned()))
                } else {
                    Err(bad())
                }
            }
            "builtin" => {
                let good = !rest.is_empty()
                    && rest.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-');
                if good {
                    Ok(Self::Builtin(rest.to_owned()))
                } else {
                    Err(bad())
                }
            }
            "" => Err(bad()),
            _ if rest.is_empty() || text.contains('\0') => Err(bad()),
            _ => Ok(Self::Other {
                backend: backend.to_owned(),
                text: rest.to_owned(),
            }),
        }
    }
}

/// A reference that names its host behind itself, and that host.
fn of_host(text: &str) -> Option<(&str, HostAlias)> {
    if text.starts_with("tmux:") || text.starts_with("builtin:") {
        return None;
    }
    let (surface, host) = text.rsplit_once(";host=")?;
    Some((surface, HostAlias::parse(decode(host)?).ok()?))
}

fn decode(text: &str) -> Option<String> {
    percent_decode_str(text)
        .decode_utf8()
        .ok()
        .map(Cow::into_owned)
}

fn tmux(text: &str) -> Option<TmuxPane> {
    let mut parts = text.split(';');
    let mut ids = parts.next()?.split('.');
    let number = |text: &str| {
        text.bytes()
            .all(|b| b.is_ascii_digit())
            .then(|| text.parse().ok())
            .flatten()
    };
    let server = number(ids.next()?)?;
    let window = number(ids.next()?.strip_prefix('@')?)?;
    let pane = match ids.next() {
        Some(pane) => Some(number(pane.strip_prefix('%')?)?),
        None => None,
    };
    if ids.next().is_some() {
        return None;
    }
    let socket = decode(parts.next()?.strip_prefix("socket=")?)?;
    if !socket.starts_with('/') || socket.contains('\0') {
        return None;
    }
    let host = match parts.next() {
        Some(host) => Some(HostAlias::parse(decode(host.strip_prefix("host=")?)?).ok()?),
        None => None,
    };
    parts.next().is_none().then_some(TmuxPane {
        server,
        window,
        pane,
        socket,
        host,
    })
}

impl TryFrom<String> for SurfaceRef {
    type Error = TextError;
    fn try_from(text: String) -> Result<Self, TextError> {
        text.parse()
    }
}

impl From<SurfaceRef> for String {
    fn from(surface: SurfaceRef) -> Self {
        surface.to_string()
    }
}

impl JsonSchema for SurfaceRef {
    fn inline_schema() -> bool {
        true
    }
    fn schema_name() -> Cow<'static, str> {
        "SurfaceRef".into()
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "pattern": "^[^:]+:.+" })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_are_read_back_as_they_were_written() {
        for text in [
            "tmux:812.@3.%7;socket=/tmp/tmux-0/default",
            "tmux:812.@3.%7;socket=/tmp/a%20b%3Bc;host=me%40zion",
            "tmux:1.@0;socket=/t",
            "iterm::9F3A-12",
            "ghostty::9F3A-12",
            "terminal::/dev/ttys012",
            "builtin:0198c0de-0000",
            "kitty:unix:/tmp/k;window=3",
            "iterm::9F3A-12;host=zion",
            "ghostty::9F3A-12;host=me%40zion",
            "terminal::/dev/ttys012;host=zion",
            "kitty:unix:/tmp/k;window=3;host=zion",
        ] {
            assert_eq!(text.parse::<SurfaceRef>().unwrap().to_string(), text);
        }
    }

    #[test]
    fn anything_else_is_refused() {
        for text in [
            "",
            "tmux",
            "tmux:",
            "tmux:1.@2.%3",
            "tmux:1.2.3;socket=/t",
            "tmux:+1.@2.%3;socket=/t",
            "tmux:1.@2.%3.4;socket=/t",
            "tmux:1.@2.%3;socket=t",
            "tmux:1.@2.%3;socket=/t;host=-oX",
            "tmux:1.@2.%3;socket=/t;x=1",
            "iterm:9F",
            "iterm::",
            "iterm::x\" & y",
            "iterm::9F;host=-oX",
            "iterm::9F;host=a;host=b",
            "builtin:0198;host=zion",
            "terminal::ttys1",
            "terminal::/dev/x\"y",
            "builtin:",
            "builtin:../x",
            ":x",
            "x:",
        ] {
            assert!(text.parse::<SurfaceRef>().is_err(), "{text:?}");
        }
    }
}
