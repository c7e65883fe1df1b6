//! How the commands of a verb are shown, where only that is asked for.

use crate::launch::quote;
use crate::launch::ssh_line::SshLine;
use crate::launch::step::Invocation;
use crate::proto::SurfaceRef;
use crate::proto::launch::Transport;
use crate::proto::surfaces::{SpecShown, SurfaceSpec};

/// The commands of one call, in order; `ssh` is what people call on a host.
pub(super) fn spec(surface: &SurfaceRef, steps: Vec<Invocation>, ssh: &SshLine) -> SpecShown {
    let mut steps = steps.into_iter();
    let first = steps.next().unwrap_or_default();
    let then: Vec<_> = steps.map(|step| step.argv).collect();
    let lines: Vec<_> = std::iter::once(&first.argv)
        .chain(&then)
        .map(quote::line)
        .collect();
    let command = lines.join(" && ");
    let (transport, display) = match (surface, surface.host()) {
        (SurfaceRef::Builtin(_), _) => (Transport::Builtin, command),
        (_, None) => (Transport::Local, command),
        (_, Some(host)) => {
            let display = ssh.line(&[], host, Some(&command));
            (
                Transport::Ssh {
                    host: host.to_string(),
                    command,
                },
                display,
            )
        }
    };
    SpecShown {
        spec: SurfaceSpec {
            argv: first.argv,
            stdin: first
                .stdin
                .map(|bytes| String::from_utf8_lossy(&bytes).into_owned()),
            then: Some(then).filter(|then| !then.is_empty()),
            transport,
            display,
        },
    }
}
