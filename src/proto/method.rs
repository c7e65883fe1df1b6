//! What a method is: its name, its parameters, its result, and the documentation that `rpc.discover` serves.

use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::daemon::Subscribed;
use super::error::Failure;

/// One method of the protocol. Implemented by empty types, one a method; the catalogue in `proto::catalog` lists them.
pub trait Method {
    /// The name on the wire, such as `surface.inject`.
    const NAME: &'static str;
    /// One line for people.
    const SUMMARY: &'static str;
    /// Named parameters. Every optional one is an `Option`, so that absent and `null` mean the same.
    type Params: DeserializeOwned + JsonSchema + Send + 'static;
    /// What it answers.
    type Result: Serialize + JsonSchema + Send + 'static;

    /// Checks what types cannot say.
    ///
    /// # Errors
    /// `invalid-params` with the path of the offending parameter.
    fn check(_params: &Self::Params) -> Result<(), Failure> {
        Ok(())
    }

    /// Examples for the schema. A test sends the parameters of each to a daemon and compares the result where there is one.
    #[must_use]
    fn examples() -> Vec<Example> {
        Vec::new()
    }
}

/// Declares methods that are no more than their names, parameters, results and, after a comma, what checks the parameters.
macro_rules! methods {
    ($($(#[$doc:meta])* $name:ident $wire:literal $summary:literal $params:ty => $result:ty $(, $check:expr)?;)*) => {$(
        $(#[$doc])*
        pub enum $name {}
        impl $crate::proto::method::Method for $name {
            const NAME: &'static str = $wire;
            const SUMMARY: &'static str = $summary;
            type Params = $params;
            type Result = $result;
            $(fn check(params: &$params) -> Result<(), $crate::proto::Failure> {
                let check: fn(&$params) -> Result<(), $crate::proto::Failure> = $check;
                check(params)
            })?
        }
    )*};
}
pub(super) use methods;

/// A method that answers `{"subscription": id}` and then sends items until the stream ends.
pub trait Stream: Method<Result = Subscribed> {
    /// The method that ends it, such as `open.unsubscribe`.
    const END: &'static str;
    /// An item: an object with a `type`.
    type Item: Serialize + JsonSchema + Send + 'static;
}

/// A call that the schema shows and a test executes.
#[derive(Clone, Debug, PartialEq)]
pub struct Example {
    /// What it shows.
    pub name: &'static str,
    /// The parameters, an object.
    pub params: Value,
    /// The exact result of a pure method; `None` where the result depends on the machine.
    pub result: Option<Value>,
}

/// The result of a method that has none: `{}`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, serde::Deserialize, JsonSchema)]
pub struct Empty {}
