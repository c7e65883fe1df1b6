//! Lists that one call may not make arbitrarily long: what is over the limit is refused before it is read.

use std::fmt;
use std::marker::PhantomData;

use serde::de::{Error, IgnoredAny, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};

/// The most items, panes or sessions of one call: laying out and building that many takes about as long as a hundred small calls.
const MOST: usize = 1000;

/// A list of at most [`MOST`].
pub(super) struct Few<T>(Vec<T>);

/// Reads a list of at most [`MOST`].
pub(super) fn few<'de, T, D>(deserializer: D) -> Result<Vec<T>, D::Error>
where
    T: Deserialize<'de>,
    D: Deserializer<'de>,
{
    Few::deserialize(deserializer).map(|few| few.0)
}

/// The same where it may be absent.
pub(super) fn few_if_any<'de, T, D>(deserializer: D) -> Result<Option<Vec<T>>, D::Error>
where
    T: Deserialize<'de>,
    D: Deserializer<'de>,
{
    Option::<Few<T>>::deserialize(deserializer).map(|few| few.map(|few| few.0))
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Few<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_seq(List(PhantomData))
    }
}

struct List<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for List<T> {
    type Value = Few<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a sequence")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Few<T>, A::Error> {
        let mut list = Vec::new();
        while list.len() < MOST {
            match seq.next_element()? {
                Some(one) => list.push(one),
                None => return Ok(Few(list)),
            }
        }
        match seq.next_element::<IgnoredAny>()? {
            Some(_) => Err(Error::custom(format_args!(
                "must hold at most {MOST}: send the rest in another call"
            ))),
            None => Ok(Few(list)),
        }
    }
}
