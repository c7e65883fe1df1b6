//! Planning the items of a call. Many are planned on the blocking pool: planning only computes, and what computes for long
//! keeps every other caller waiting.

use tokio::task::spawn_blocking;

use super::place::Place;
use super::prepare::{Ask, unplanned};
use crate::backend::Registry;
use crate::backend::batch::{self, Planned};
use crate::launch::shell::Shell;
use crate::proto::{Failure, Request};

/// So many items cost less than handing them over.
const FEW: usize = 32;

/// Plans these requests for one shell, in order.
pub(super) async fn plan(
    ask: &Ask,
    place: &Place,
    registry: &Registry,
    shell: &Shell,
    requests: Vec<Request>,
) -> Vec<Result<Planned, Failure>> {
    if requests.len() <= FEW {
        return batch::plan(&ask.scene(place, registry, shell), requests);
    }
    let count = requests.len();
    let (ask, place) = (ask.without_items(), place.clone());
    let (registry, shell) = (registry.clone(), shell.clone());
    spawn_blocking(move || batch::plan(&ask.scene(&place, &registry, &shell), requests))
        .await
        .unwrap_or_else(|_| (0..count).map(|_| Err(unplanned())).collect())
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt;

    use super::*;
    use crate::config::Config;
    use crate::launch::plan::{Defaults, requests};
    use crate::proto::Item;
    use crate::proto::launch::BuildParams;

    #[tokio::test]
    async fn many_items_keep_nobody_waiting_and_few_are_planned_at_once() {
        let registry = Registry::new(&Config::default());
        let (place, shell) = (Place::default(), Shell::default());
        let backend = "iterm".into();
        let defaults = Defaults {
            backend: Some(&backend),
            ..Defaults::default()
        };
        let ask = Ask::to_build(BuildParams::default(), None);
        let planning = |count| {
            let items = vec![Item::default(); count];
            let requests = requests(&items, &defaults).unwrap();
            plan(&ask, &place, &registry, &shell, requests)
        };
        assert_eq!(planning(FEW).now_or_never().map(|all| all.len()), Some(FEW));
        // This thread goes on with something else.
        let mut many = Box::pin(planning(1000));
        assert!(many.as_mut().now_or_never().is_none());
        let many = many.await;
        assert!(many.len() == 1000 && many.iter().all(Result::is_ok));
    }
}
