//! Reads tables key by key, and collects every problem with its line and key instead of stopping at the first.

use std::cell::RefCell;
use std::fmt;
use std::ops::Range;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// One thing that is wrong in the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The line, from 1.
    pub line: usize,
    /// The key with its tables, such as `backends.foot.window`; empty for a mistake of TOML itself.
    pub key: String,
    /// What is wrong and what to write instead.
    pub message: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.key.is_empty() {
            write!(f, "line {}: {}", self.line, self.message)
        } else {
            write!(f, "line {}: `{}` {}", self.line, self.key, self.message)
        }
    }
}

/// Everything that is wrong in the file, in its order; at least one problem.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub struct Problems(pub Vec<Problem>);

impl fmt::Display for Problems {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, problem) in self.0.iter().enumerate() {
            if index > 0 {
                f.write_str("; ")?;
            }
            write!(f, "{problem}")?;
        }
        Ok(())
    }
}

/// Where problems are written down.
pub(super) struct Notes<'s> {
    source: &'s str,
    problems: RefCell<Vec<(usize, Problem)>>,
}

impl<'s> Notes<'s> {
    pub(super) const fn new(source: &'s str) -> Self {
        Self {
            source,
            problems: RefCell::new(Vec::new()),
        }
    }

    pub(super) fn add(&self, span: &Range<usize>, key: &str, message: impl Into<String>) {
        let before = self.source.get(..span.start).unwrap_or(self.source);
        let problem = Problem {
            line: before.matches('\n').count() + 1,
            key: key.to_owned(),
            message: message.into(),
        };
        self.problems.borrow_mut().push((span.start, problem));
    }

    /// How many there are.
    pub(super) fn count(&self) -> usize {
        self.problems.borrow().len()
    }

    /// `Ok` where there was none.
    pub(super) fn finish(self) -> Result<(), Problems> {
        let mut problems = self.problems.into_inner();
        if problems.is_empty() {
            return Ok(());
        }
        problems.sort_by_key(|(at, _)| *at);
        Err(Problems(
            problems.into_iter().map(|(_, problem)| problem).collect(),
        ))
    }
}

/// A value with its place.
pub(super) struct Value<'a, 'i> {
    pub(super) notes: &'a Notes<'a>,
    pub(super) key: String,
    pub(super) span: Range<usize>,
    pub(super) item: &'a DeValue<'i>,
}

impl<'a, 'i> Value<'a, 'i> {
    /// Notes what is wrong with it.
    pub(super) fn problem(&self, message: impl Into<String>) {
        self.notes.add(&self.span, &self.key, message);
    }

    fn wrong<T>(&self, expected: &str) -> Option<T> {
        self.problem(format!(
            "must be {expected}, not {}",
            kind(self.item.type_str())
        ));
        None
    }

    pub(super) fn string(&self) -> Option<String> {
        match self.item.as_str() {
            Some(text) if text.contains('\0') => {
                self.problem("must not contain a NUL character");
                None
            }
            Some(text) => Some(text.to_owned()),
            None => self.wrong("a string"),
        }
    }

    pub(super) fn boolean(&self) -> Option<bool> {
        self.item.as_bool().or_else(|| self.wrong("true or false"))
    }

    /// A whole number in this range.
    pub(super) fn number(&self, range: Range<u64>) -> Option<u64> {
        let Some(integer) = self.item.as_integer() else {
            return self.wrong("a whole number");
        };
        let number = u64::from_str_radix(integer.as_str(), integer.radix())
            .ok()
            .filter(|number| range.contains(number));
        if number.is_none() {
            self.problem(format!(
                "must be a number from {} to {}",
                range.start,
                range.end - 1
            ));
        }
        number
    }

    /// A list of strings, with the place of each.
    pub(super) fn strings(&self) -> Option<Vec<(String, Value<'a, 'i>)>> {
        let Some(array) = self.item.as_array() else {
            return self.wrong("a list of strings");
        };
        array
            .iter()
            .enumerate()
            .map(|(index, item)| {
                let value = Value {
                    notes: self.notes,
                    key: format!("{}[{index}]", self.key),
                    span: item.span(),
                    item: item.get_ref(),
                };
                value.string().map(|text| (text, value))
            })
            .collect()
    }

    pub(super) fn table(&self) -> Option<Section<'a, 'i>> {
        match self.item.as_table() {
            Some(table) => Some(Section {
                notes: self.notes,
                path: self.key.clone(),
                table,
                asked: RefCell::default(),
            }),
            None => self.wrong("a table"),
        }
    }
}

fn kind(toml: &str) -> String {
    let article = if toml.starts_with(['a', 'i']) {
        "an"
    } else {
        "a"
    };
    format!("{article} {toml}")
}

/// A table: keys are taken from it, and what was not asked for in the end is unknown.
pub(super) struct Section<'a, 'i> {
    notes: &'a Notes<'a>,
    path: String,
    table: &'a DeTable<'i>,
    asked: RefCell<Vec<&'static str>>,
}

impl<'a, 'i> Section<'a, 'i> {
    pub(super) fn root(notes: &'a Notes<'a>, table: &'a DeTable<'i>) -> Self {
        Self {
            notes,
            path: String::new(),
            table,
            asked: RefCell::default(),
        }
    }

    fn value(&self, key: &str, item: &'a Spanned<DeValue<'i>>) -> Value<'a, 'i> {
        let key = if self.path.is_empty() {
            key.to_owned()
        } else {
            format!("{}.{key}", self.path)
        };
        Value {
            notes: self.notes,
            key,
            span: item.span(),
            item: item.get_ref(),
        }
    }

    /// The value of a key that may be there.
    pub(super) fn get(&self, key: &'static str) -> Option<Value<'a, 'i>> {
        self.asked.borrow_mut().push(key);
        let (_, item) = self
            .table
            .iter()
            .find(|(found, _)| found.get_ref() == key)?;
        Some(self.value(key, item))
    }

    /// All keys, for tables whose keys are names. Nothing is unknown in them.
    pub(super) fn entries(&self) -> Vec<(String, Value<'a, 'i>)> {
        let mut entries: Vec<_> = self
            .table
            .iter()
            .map(|(key, item)| (key.get_ref().to_string(), self.value(key.get_ref(), item)))
            .collect();
        entries.sort_by_key(|(_, value)| value.span.start);
        entries
    }

    /// Notes every key that was not asked for, with the nearest one that exists.
    pub(super) fn finish(self) {
        let known = self.asked.into_inner();
        for (key, _) in self.table {
            let name: &str = key.get_ref();
            if known.contains(&name) {
                continue;
            }
            let path = if self.path.is_empty() {
                name.to_owned()
            } else {
                format!("{}.{name}", self.path)
            };
            self.notes.add(&key.span(), &path, unknown(name, &known));
        }
    }
}

fn unknown(name: &str, known: &[&str]) -> String {
    let fold = |text: &str| text.replace(['-', '_'], "").to_lowercase();
    let nearest = known
        .iter()
        .map(|candidate| {
            (
                strsim::osa_distance(&fold(candidate), &fold(name)),
                candidate,
            )
        })
        .min()
        .filter(|(distance, candidate)| *distance <= candidate.len().div_ceil(3));
    match nearest {
        Some((_, candidate)) => format!("is unknown; did you mean `{candidate}`?"),
        None => format!("is unknown; the keys here are {}", known.join(", ")),
    }
}
