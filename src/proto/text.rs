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

/// The most characters of what a caller sent that an error repeats.
const SHOWN: usize = 100;
/// The most characters of an error.
const SAID: usize = 1000;

/// What a caller sent as an error repeats it: in quotes, its beginning where it is long, nothing in it that moves a cursor or
/// turns the direction of writing.
#[must_use]
pub fn shown(text: impl AsRef<str>) -> String {
    let text = text.as_ref();
    match text.char_indices().nth(SHOWN) {
        None => format!("{text:?}"),
        Some((end, _)) => {
            let all = text.chars().count();
            format!("{:?}… ({all} characters)", &text[..end])
        }
    }
}

/// The same without quotes, for what stands at the end of a sentence or is a list.
#[must_use]
pub fn plain(text: &str) -> String {
    let quoted = shown(text);
    if text.chars().nth(SHOWN).is_some() || quoted.len() != text.len() + 2 {
        return quoted;
    }
    text.to_owned()
}

/// A sentence for people: without characters that move a cursor or turn the direction of writing, and of bearable length,
/// whatever stands in it.
#[must_use]
pub fn sentence(text: String) -> String {
    let harmless = |c: char| c == '\n' || c == '\t' || !(c.is_control() || turns(c));
    let mut text = text;
    if !text.chars().all(harmless) {
        text = text.chars().fold(String::new(), |mut told, c| {
            if harmless(c) {
                told.push(c);
            } else {
                told.extend(c.escape_unicode());
            }
            told
        });
    }
    let Some((end, _)) = text.char_indices().nth(SAID) else {
        return text;
    };
    let half = text[..end].char_indices().nth(SAID / 2);
    let (half, _) = half.unwrap_or_default();
    let tail = text.char_indices().rev().nth(SAID / 2);
    let (tail, _) = tail.unwrap_or_default();
    format!("{} … {}", &text[..half], &text[tail.max(half)..])
}

/// Whether a character turns the direction of writing.
const fn turns(c: char) -> bool {
    matches!(c, '\u{200e}' | '\u{200f}' | '\u{061c}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

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
            Err(TextError(format!("{text} is not the name of a variable (letters, digits and _, no digit first)", text = shown(text))))
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
            Err(TextError(format!("must be an absolute path, not {text}", text = shown(text))))
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
