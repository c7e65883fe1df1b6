//! Who calls, as a handler sees it.

use tokio_util::sync::CancellationToken;

use crate::os::peer::Peer;

/// The other end of a request.
#[derive(Clone, Debug)]
pub struct Caller {
    /// Its process, in the kernel's words.
    pub peer: Peer,
    /// Its connection: a number that no other connection of this daemon had or gets.
    pub connection: u64,
    /// Cancelled when nobody waits for the result any more: the caller asked for that, closed its connection or ended the
    /// subscription, or the daemon ends.
    ///
    /// A handler that looks at it has a quarter of a second to return a failure of kind `cancelled` whose `detail` says
    /// what was done; one that does not is dropped at its await.
    pub cancel: CancellationToken,
}

impl Caller {
    /// A caller whose requests nobody cancels.
    #[must_use]
    pub fn new(peer: Peer) -> Self {
        Self {
            peer,
            connection: 0,
            cancel: CancellationToken::new(),
        }
    }
}
