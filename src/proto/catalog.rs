//! Every method of the protocol with its schemas: what `rpc.discover` serves and the clients are generated from.

use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema, SchemaGenerator};

use super::agent::{
    AgentArchive, AgentClose, AgentCreate, AgentDelete, AgentGet, AgentList, AgentOpen, AgentSend,
    AgentUnarchive, AgentUpdate,
};
use super::daemon::{Discover, Hello, Shutdown, Status, UnsubscribeParams};
use super::events::Events;
use super::launch::{Build, Plan};
use super::method::{Empty, Example, Method, Stream};
use super::open::{Open, OpenSubscribe};
use super::provider::{ProviderCommand, ProviderList};
use super::resolve::{Backends, ResolveBackend};
use super::resume::Resume;
use super::seat::{
    LayoutClose, LayoutOpen, LayoutRefsOf, SeatCapture, SeatInterrupt, SeatList, SeatReap,
    SeatSpawn, SeatStatusOf, SeatStop, SeatWait,
};
use super::sessions::Sessions;
use super::surfaces::{Capture, Close, Focus, Inject, Keys, List, Wait};
use super::terminal::{
    Attach, Create, Input, Kill, Remove, Resize, TerminalCapture, TerminalGet, TerminalList,
    TerminalSnapshot, TerminalWait,
};

/// One method as the schema shows it.
#[derive(Debug)]
pub struct Entry {
    /// The name on the wire.
    pub name: &'static str,
    /// One line for people.
    pub summary: String,
    /// The schema of its parameters, an object.
    pub params: Schema,
    /// The schema of its result.
    pub result: Schema,
    /// The schema of an item, for methods that subscribe.
    pub item: Option<Schema>,
    /// The method that ends its subscriptions.
    pub end: Option<&'static str>,
    /// Calls that a test executes.
    pub examples: Vec<Example>,
}

/// The catalogue while it is filled.
struct Catalog {
    generator: SchemaGenerator,
    entries: Vec<Entry>,
}

impl Catalog {
    fn method<M: Method>(&mut self) -> &mut Self {
        let entry = self.entry::<M>();
        self.entries.push(entry);
        self
    }

    fn stream<S: Stream>(&mut self) -> &mut Self {
        let mut entry = self.entry::<S>();
        entry.item = Some(self.generator.subschema_for::<S::Item>());
        entry.end = Some(S::END);
        self.entries.push(entry);
        let end = Entry {
            name: S::END,
            summary: format!("Ends a subscription of {}.", S::NAME),
            params: self.generator.root_schema_for::<UnsubscribeParams>(),
            result: self.generator.subschema_for::<Empty>(),
            item: None,
            end: None,
            examples: Vec::new(),
        };
        self.entries.push(end);
        self
    }

    fn entry<M: Method>(&mut self) -> Entry {
        Entry {
            name: M::NAME,
            summary: M::SUMMARY.to_owned(),
            params: M::Params::json_schema(&mut self.generator),
            result: self.generator.subschema_for::<M::Result>(),
            item: None,
            end: None,
            examples: M::examples(),
        }
    }
}

/// All methods in the order of the protocol's sections, and the schemas that they share.
#[must_use]
pub fn catalog() -> (Vec<Entry>, SchemaGenerator) {
    let settings = SchemaSettings::draft07()
        .with(|settings| settings.definitions_path = "/components/schemas".into());
    let mut catalog = Catalog {
        generator: settings.into_generator(),
        entries: Vec::new(),
    };
    catalog
        .method::<Plan>()
        .method::<Build>()
        .method::<Open>()
        .stream::<OpenSubscribe>();
    catalog
        .method::<ResolveBackend>()
        .method::<Backends>()
        .method::<Sessions>()
        .method::<Resume>();
    catalog
        .method::<List>()
        .method::<Inject>()
        .method::<Keys>()
        .method::<Capture>();
    catalog.method::<Focus>().method::<Close>().method::<Wait>();
    catalog
        .method::<SeatSpawn>()
        .method::<SeatStatusOf>()
        .method::<SeatStop>()
        .method::<SeatInterrupt>()
        .method::<SeatCapture>()
        .method::<SeatList>()
        .method::<SeatWait>()
        .method::<SeatReap>();
    catalog
        .method::<LayoutOpen>()
        .method::<LayoutClose>()
        .method::<LayoutRefsOf>();
    catalog
        .method::<Create>()
        .method::<TerminalList>()
        .method::<TerminalGet>()
        .method::<Resize>()
        .method::<Remove>();
    catalog
        .method::<Input>()
        .method::<TerminalCapture>()
        .method::<TerminalSnapshot>()
        .method::<Kill>();
    catalog.method::<TerminalWait>().stream::<Attach>();
    catalog.method::<ProviderList>().method::<ProviderCommand>();
    catalog
        .method::<AgentCreate>()
        .method::<AgentOpen>()
        .method::<AgentList>()
        .method::<AgentGet>()
        .method::<AgentUpdate>()
        .method::<AgentClose>()
        .method::<AgentArchive>()
        .method::<AgentUnarchive>()
        .method::<AgentDelete>()
        .method::<AgentSend>();
    catalog.stream::<Events>();
    catalog
        .method::<Hello>()
        .method::<Status>()
        .method::<Shutdown>()
        .method::<Discover>();
    (catalog.entries, catalog.generator)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique() {
        let mut names: Vec<_> = catalog().0.iter().map(|entry| entry.name).collect();
        let all = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), all);
    }

    #[test]
    fn no_optional_parameter_refuses_null() {
        for entry in catalog().0 {
            let params = entry.params.as_value();
            let required = params["required"].as_array().cloned().unwrap_or_default();
            for (name, schema) in params["properties"].as_object().into_iter().flatten() {
                if required.iter().any(|required| required == name) {
                    continue;
                }
                let text = schema.to_string();
                assert!(
                    text.contains("\"null\""),
                    "{}: {name} is optional and refuses null: {text}",
                    entry.name
                );
            }
        }
    }
}
