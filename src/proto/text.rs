//! Strings that carry their own precondition: once parsed they need no second check.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;
use std::ops::Deref;
use std::path::{Path, PathBuf};

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};

/// Why a string is not of its type; the text completes "`items[0].cwd` …".
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct TextError(pub(crate) String);

fn no_nul(text: &str) -> Result<(), TextError> {
    if text.contains('\0') {
        Err(TextError("must not contain a NUL character".into()))
    } else {
        Ok(())
    }
}

/// Declares a string type with a check, its serde form and its JSON schema.
macro_rules! text {
    ($(#[$doc:meta])* $name:ident, $check:expr, $schema:tt) => {
        $(#[$doc])*
        #[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(try_from = "String", into = "String")]
        pub struct $name(String);

        impl $name {
            /// Parses it.
            ///
            /// # Errors
            /// Says what is wrong with the text.
            pub fn parse(text: impl Into<String>) -> Result<Self, TextError> {
                let text = text.into();
                let check: fn(&str) -> Result<(), TextError> = $check;
                check(&text)?;
                Ok(Self(text))
            }

            /// The text.
            #[must_use]
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl TryFrom<String> for $name {
            type Error = TextError;
            fn try_from(text: String) -> Result<Self, TextError> {
                Self::parse(text)
            }
        }

        impl From<$name> for String {
            fn from(text: $name) -> Self {
                text.0
            }
        }

        impl Deref for $name {
            type Target = str;
            fn deref(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Debug::fmt(&self.0, f)
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl JsonSchema for $name {
            fn inline_schema() -> bool {
                true
            }
            fn schema_name() -> Cow<'static, str> {
                stringify!($name).into()
            }
            fn json_schema(_: &mut SchemaGenerator) -> Schema {
                json_schema!($schema)
            }
        }
    };
}
pub(crate) use text;

text! {
    /// A word of an argv, a title, a value: any text without NUL, the empty one included.
    Word, no_nul, { "type": "string" }
}

text! {
    /// The name of an environment variable: `[A-Za-z_][A-Za-z0-9_]*`.
    EnvName,
    |text| {
        let mut bytes = text.bytes();
        let first = bytes.next().is_some_and(|b| b == b'_' || b.is_ascii_alphabetic());
        if first && bytes.all(|b| b == b'_' || b.is_ascii_alphanumeric()) {
            Ok(())
        } else {
            Err(TextError(format!("{text:?} is not the name of a variable (letters, digits and _, no digit first)")))
        }
    },
    { "type": "string", "pattern": "^[A-Za-z_][A-Za-z0-9_]*$" }
}

text! {
    /// A directory as an absolute path; no NUL. Whether it exists is not said.
    AbsolutePath,
    |text| {
        no_nul(text)?;
        if text.starts_with('/') {
            Ok(())
        } else {
            Err(TextError(format!("must be an absolute path, not {text:?}")))
        }
    },
    { "type": "string", "pattern": "^/" }
}

impl AbsolutePath {
    /// The path.
    #[must_use]
    pub fn as_path(&self) -> &Path {
        Path::new(&self.0)
    }
}

impl TryFrom<PathBuf> for AbsolutePath {
    type Error = TextError;
    fn try_from(path: PathBuf) -> Result<Self, TextError> {
        let text = path.into_os_string().into_string();
        Self::parse(text.map_err(|path| TextError(format!("{} is not UTF-8", path.display())))?)
    }
}

/// Variables for a command, in the order of their names.
pub type Env = BTreeMap<EnvName, Word>;

/// A command as its words. Never empty, and the first word is not empty.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "Vec<Word>", into = "Vec<Word>")]
pub struct Argv(Vec<Word>);

impl Argv {
    /// Reads words.
    ///
    /// # Errors
    /// A NUL in a word, or no program.
    pub fn parse<T: Into<String>>(words: impl IntoIterator<Item = T>) -> Result<Self, TextError> {
        let words: Result<Vec<_>, _> = words.into_iter().map(Word::parse).collect();
        words.and_then(Self::try_from)
    }

    /// The program: the first word.
    #[must_use]
    pub fn program(&self) -> &str {
        &self.0[0]
    }

    /// All words, the program first.
    #[must_use]
    pub fn words(&self) -> &[Word] {
        &self.0
    }

    /// The same as plain text.
    #[must_use]
    pub fn texts(&self) -> Vec<String> {
        self.0.iter().map(|word| word.as_str().to_owned()).collect()
    }
}

impl TryFrom<Vec<Word>> for Argv {
    type Error = TextError;
    fn try_from(words: Vec<Word>) -> Result<Self, TextError> {
        match words.first() {
            None => Err(TextError("must hold at least one word, the program".into())),
            Some(first) if first.is_empty() => {
                Err(TextError("must not begin with an empty word".into()))
            }
            Some(_) => Ok(Self(words)),
        }
    }
}

impl From<Argv> for Vec<Word> {
    fn from(argv: Argv) -> Self {
        argv.0
    }
}

impl JsonSchema for Argv {
    fn inline_schema() -> bool {
        true
    }
    fn schema_name() -> Cow<'static, str> {
        "Argv".into()
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "array", "items": { "type": "string" }, "minItems": 1 })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_refuse_what_their_type_excludes() {
        assert!(Word::parse("").is_ok());
        assert!(Word::parse("a\0b").is_err());
        for (name, ok) in [
            ("A", true),
            ("_x9", true),
            ("", false),
            ("9a", false),
            ("A.B", false),
            ("ä", false),
        ] {
            assert_eq!(EnvName::parse(name).is_ok(), ok, "{name:?}");
        }
        for (path, ok) in [
            ("/", true),
            ("/a b", true),
            ("", false),
            ("a", false),
            ("~/a", false),
            ("/a\0", false),
        ] {
            assert_eq!(AbsolutePath::parse(path).is_ok(), ok, "{path:?}");
        }
    }

    #[test]
    fn an_argv_has_a_program() {
        assert!(Argv::parse([""; 0]).is_err());
        assert!(Argv::parse(["", "x"]).is_err());
        assert!(Argv::parse(["x", "a\0"]).is_err());
        let argv = Argv::parse(["x", ""]).unwrap();
        assert_eq!(argv.program(), "x");
        assert_eq!(argv.texts(), ["x", ""]);
    }
}
