//! Where the daemon's parts are put together: each service is made here once and given to the methods that use it.

use crate::config::Store;
use crate::os::paths::Paths;
use crate::os::supervise::Supervisor;
use crate::rpc::Registry;

/// What services are made of.
#[derive(Clone, Debug)]
pub struct Parts {
    /// Where things are.
    pub paths: Paths,
    /// The configuration in force.
    pub config: Store,
    /// Ends the tasks of the services when the daemon ends.
    pub supervisor: Supervisor,
}

/// Makes the services and adds their methods. `daemon.*` and `rpc.discover` are there already.
pub fn assemble(_parts: &Parts, _registry: &mut Registry) {}
