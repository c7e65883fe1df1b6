//! The files in which programs keep their conversations. Nothing is opened here: what was read of a file is given, and what
//! it says is answered.

mod claude;
mod codex;
mod gemini;
mod opencode;
mod text;

pub(super) use claude::Claude;
pub(super) use codex::Codex;
pub(super) use gemini::Gemini;
pub(super) use opencode::Opencode;

/// What a file says of the conversation in it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Transcript {
    /// The program's id of it, as the content has it.
    pub id: String,
    /// The directory in which it was begun.
    pub cwd: Option<String>,
    /// What the content has instead of the directory, where it has that: see [`Format::is_of`].
    pub place: Option<String>,
    /// When it was begun, in milliseconds since 1970.
    pub started_ms: Option<u64>,
    /// When it was last written, where the content says that; else the file's own time counts.
    pub updated_ms: Option<u64>,
    /// The version of the program that wrote it last.
    pub version: Option<String>,
    /// Its title, or else the beginning of its first prompt: one line.
    pub title: Option<String>,
}

/// What became of reading a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reading {
    /// A conversation that can be taken up.
    Conversation(Transcript),
    /// None of its own: a part of another one, or nothing was said in it yet.
    Nothing,
    /// It is not what its program writes; what is wrong.
    Damaged(String),
    /// More of its beginning is needed.
    More,
}

/// What was read of a file.
#[derive(Clone, Copy, Debug)]
pub struct Sample<'a> {
    /// Its path below the directory that [`Format::roots`] names.
    pub path: &'a str,
    /// Its first bytes.
    pub head: &'a [u8],
    /// Its last bytes; empty where `head` is all of it.
    pub tail: &'a [u8],
    /// Whether `head` is all of it.
    pub whole: bool,
    /// Whether no more of its beginning will be read: then there is no [`Reading::More`].
    pub last: bool,
    /// What the file beside it holds that [`Format::beside`] names.
    pub beside: Option<&'a str>,
}

/// Where a program keeps its conversations, and how they are read.
pub trait Format: Send + Sync {
    /// The directories that hold them, the likeliest first: those that variables name, and the usual ones. `variable` gives
    /// the variables that the program is started with.
    fn roots(&self, home: &str, variable: &dyn Fn(&str) -> Option<String>) -> Vec<String>;

    /// How many directories lie between a root and the files.
    fn depth(&self) -> usize;

    /// Whether the file of this path below a root may hold a conversation.
    fn holds(&self, path: &str) -> bool;

    /// A small file, below the root too, that says in which directory the conversations of this one were begun.
    fn beside(&self, _path: &str) -> Option<String> {
        None
    }

    /// Whether [`Transcript::place`] means this directory.
    fn is_of(&self, _place: &str, _cwd: &str) -> bool {
        false
    }

    /// The databases that hold conversations, instead of files.
    fn databases(&self, _home: &str, _variable: &dyn Fn(&str) -> Option<String>) -> Vec<String> {
        Vec::new()
    }

    /// What a file says.
    fn read(&self, sample: Sample<'_>) -> Reading;
}

/// A variable that names a directory absolutely.
fn directory(variable: &dyn Fn(&str) -> Option<String>, name: &str) -> Option<String> {
    let value = variable(name)?;
    let value = value.trim_end_matches('/');
    value.starts_with('/').then(|| value.to_owned())
}

/// The last part of a path.
fn file_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// Whether a file has this ending, as its program writes it.
fn is_kind(name: &str, ending: &str) -> bool {
    name.strip_suffix(ending).is_some()
}
