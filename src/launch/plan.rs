//! Packing: which layout each item of a batch gets, and the requests that follow from it.

use std::collections::HashMap;

use crate::proto::{BackendId, Item, Layout, Packing, Request, Word};

/// Layouts for so many surfaces of one terminal.
///
/// `two-per-tab` is tab, split-right, tab, …; `tabs` is all tabs. Zero gives none.
#[must_use]
pub fn layouts(count: usize, packing: Packing) -> Vec<Layout> {
    (0..count).map(|index| nth(index, packing)).collect()
}

fn nth(index: usize, packing: Packing) -> Layout {
    match packing {
        Packing::TwoPerTab if index % 2 == 1 => Layout::SplitRight,
        Packing::TwoPerTab | Packing::Tabs => Layout::Tab,
    }
}

/// What a call says for all its items.
#[derive(Clone, Copy, Debug, Default)]
pub struct Defaults<'a> {
    /// The backend of every item. Absent: that of the item's target; else `tmux` for items with a host, unknown for others.
    pub backend: Option<&'a BackendId>,
    /// The host of items that name none.
    pub host: Option<&'a Word>,
    /// How they are packed.
    pub packing: Packing,
}

impl Defaults<'_> {
    /// The host of an item: its own, else the call's, else that of the surface it splits.
    fn host(&self, item: &Item) -> Option<Word> {
        let target = || item.target.as_ref()?.host();
        item.host
            .as_ref()
            .or(self.host)
            .cloned()
            .or_else(|| Word::parse(target()?.as_str()).ok())
    }

    /// The backend of an item, where it is known without looking at the machine.
    #[must_use]
    pub fn backend(&self, item: &Item) -> Option<BackendId> {
        match (self.backend, &item.target) {
            (Some(backend), _) => Some(backend.clone()),
            (None, Some(target)) => Some(BackendId::from(target.backend())),
            (None, None) => self.host(item).map(|_| BackendId::from("tmux")),
        }
    }
}

/// The layout of each item: its own one, else by packing. Pairs are counted within each host and backend, so that
/// items for two hosts that stand mixed in one call are not split off each other.
#[must_use]
pub fn item_layouts(items: &[Item], defaults: &Defaults<'_>) -> Vec<Layout> {
    let mut counts = HashMap::new();
    items
        .iter()
        .map(|item| {
            let place = (defaults.host(item), defaults.backend(item));
            let count: &mut usize = counts.entry(place).or_default();
            let planned = nth(*count, defaults.packing);
            *count += 1;
            item.layout.unwrap_or(planned)
        })
        .collect()
}

/// The requests of a batch, one for each item and in order; `None` where some item's backend is not known yet.
#[must_use]
pub fn requests(items: &[Item], defaults: &Defaults<'_>) -> Option<Vec<Request>> {
    items
        .iter()
        .zip(item_layouts(items, defaults))
        .map(|(item, layout)| {
            Some(Request {
                backend: defaults.backend(item)?,
                layout,
                cwd: item.cwd.clone(),
                command: item.command.clone(),
                shell_command: item.shell_command.clone(),
                env: item.env.clone(),
                host: defaults.host(item),
                target: item.target.clone(),
                agent: item.agent.clone(),
                session_id: item.session_id.clone(),
                title: item.title.clone(),
                on_exit: item.on_exit,
            })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use Layout::{SplitDown, SplitRight, Tab};

    #[test]
    fn two_to_a_tab() {
        assert_eq!(layouts(0, Packing::TwoPerTab), []);
        assert_eq!(
            layouts(5, Packing::TwoPerTab),
            [Tab, SplitRight, Tab, SplitRight, Tab]
        );
        assert_eq!(layouts(3, Packing::Tabs), [Tab, Tab, Tab]);
    }

    fn item(host: Option<&str>, layout: Option<Layout>) -> Item {
        Item {
            host: host.map(|host| Word::parse(host).unwrap()),
            layout,
            ..Item::default()
        }
    }

    #[test]
    fn pairs_are_counted_within_each_host_and_own_layouts_win() {
        let items = [
            item(None, None),
            item(Some("zion"), None),
            item(None, None),
            item(Some("zion"), None),
            item(None, Some(SplitDown)),
        ];
        let defaults = Defaults::default();
        assert_eq!(
            item_layouts(&items, &defaults),
            [Tab, Tab, SplitRight, SplitRight, SplitDown]
        );
    }

    #[test]
    fn requests_need_to_know_every_backend() {
        let items = [item(Some("zion"), None), item(None, None)];
        assert_eq!(requests(&items, &Defaults::default()), None);
        let requests = requests(&items[..1], &Defaults::default()).unwrap();
        assert_eq!(requests[0].backend.as_str(), "tmux");
        assert_eq!(requests[0].host.as_deref(), Some("zion"));
    }

    #[test]
    fn the_calls_host_and_backend_are_those_of_items_that_name_none() {
        let (backend, host) = (BackendId::from("iterm"), Word::parse("far").unwrap());
        let defaults = Defaults {
            backend: Some(&backend),
            host: Some(&host),
            packing: Packing::Tabs,
        };
        let requests = requests(&[item(None, None), item(Some("near"), None)], &defaults).unwrap();
        let places: Vec<_> = requests
            .iter()
            .map(|r| (r.backend.as_str(), r.host.as_deref().unwrap()))
            .collect();
        assert_eq!(places, [("iterm", "far"), ("iterm", "near")]);
    }
}
