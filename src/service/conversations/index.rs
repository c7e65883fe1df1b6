//! What was read of each file, for as long as the file is the same.

use std::collections::HashMap;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use super::{Conversation, Damaged, Found, opencode, sample, variable};
use crate::provider::Provider;
use crate::provider::transcript::{Format, Reading, Transcript};

/// A file as long as it is the same: its size, and when it was written to the nanosecond.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Stamp {
    size: u64,
    written: (i64, i64),
    inode: u64,
}

impl Stamp {
    pub(super) fn of(metadata: &std::fs::Metadata) -> Self {
        Self {
            size: metadata.size(),
            written: (metadata.mtime(), metadata.mtime_nsec()),
            inode: metadata.ino(),
        }
    }

    fn last_ms(self) -> u64 {
        let (seconds, nanos) = self.written;
        u64::try_from(
            seconds
                .saturating_mul(1000)
                .saturating_add(nanos / 1_000_000),
        )
        .unwrap_or(0)
    }
}

/// What was read of files, by their paths below a root.
type Files = HashMap<String, (Stamp, Reading)>;

/// What was read of a database, and what its files were then.
type Database = (Vec<Option<Stamp>>, Result<Vec<Transcript>, String>);

/// What was read, by root and by database.
#[derive(Default)]
pub(super) struct Index {
    files: HashMap<PathBuf, Files>,
    databases: HashMap<PathBuf, Database>,
}

impl Index {
    /// Adds what a provider has to `found`. Blocks on the disk.
    pub(super) fn look(&mut self, provider: &Provider, home: &str, found: &mut Found) {
        let Some(format) = provider.transcripts() else {
            return;
        };
        let variable = |name: &str| variable(provider, name);
        for root in distinct(format.roots(home, &variable)) {
            let before = self.files.remove(&root).unwrap_or_default();
            let now = look_below(provider, format, &root, before, found);
            self.files.insert(root, now);
        }
        for file in distinct(format.databases(home, &variable)) {
            self.look_into(provider, file, found);
        }
    }

    fn look_into(&mut self, provider: &Provider, file: PathBuf, found: &mut Found) {
        let stamps = opencode::stamps(&file);
        if stamps.iter().all(Option::is_none) {
            self.databases.remove(&file);
            return;
        }
        let known = self.databases.get(&file);
        if known.is_none_or(|(before, _)| *before != stamps) {
            let read = opencode::read(&file);
            self.databases.insert(file.clone(), (stamps, read));
        }
        match &self.databases[&file].1 {
            Ok(transcripts) => {
                let own = transcripts.iter().map(|said| Conversation {
                    provider: provider.clone(),
                    file: file.clone(),
                    last_ms: said.updated_ms.or(said.started_ms).unwrap_or(0),
                    said: said.clone(),
                });
                found.conversations.extend(own);
            }
            Err(reason) => found.damaged.push(Damaged {
                provider: provider.id().to_owned(),
                file,
                reason: reason.clone(),
            }),
        }
    }
}

/// The directories as they really are, each once.
fn distinct(paths: Vec<String>) -> Vec<PathBuf> {
    let mut seen: Vec<PathBuf> = Vec::new();
    for path in paths {
        let path = PathBuf::from(path);
        let real = fs_err::canonicalize(&path).unwrap_or(path);
        if !seen.contains(&real) {
            seen.push(real);
        }
    }
    seen
}

fn look_below(
    provider: &Provider,
    format: &dyn Format,
    root: &Path,
    mut before: Files,
    found: &mut Found,
) -> Files {
    let mut now = HashMap::with_capacity(before.len());
    let mut paths = Vec::new();
    walk(root, "", format.depth(), &mut paths);
    for path in paths.into_iter().filter(|path| format.holds(path)) {
        let file = root.join(&path);
        let Ok(metadata) = fs_err::metadata(&file) else {
            continue;
        };
        // A pipe would be waited for.
        if !metadata.is_file() {
            continue;
        }
        let stamp = Stamp::of(&metadata);
        let known = before.remove(&path).filter(|(before, _)| *before == stamp);
        let reading = known.map_or_else(
            || {
                sample::read(format, root, &path, stamp.size)
                    .unwrap_or_else(|error| Reading::Damaged(error.to_string()))
            },
            |(_, reading)| reading,
        );
        match &reading {
            Reading::Conversation(said) => found.conversations.push(Conversation {
                provider: provider.clone(),
                last_ms: said.updated_ms.unwrap_or_else(|| stamp.last_ms()),
                said: said.clone(),
                file,
            }),
            Reading::Damaged(reason) => found.damaged.push(Damaged {
                provider: provider.id().to_owned(),
                reason: reason.clone(),
                file,
            }),
            Reading::Nothing | Reading::More => {}
        }
        now.insert(path, (stamp, reading));
    }
    now
}

/// The files this many directories below `root`, as paths below it. What cannot be listed is left out: most programs have no
/// such directory.
pub(super) fn walk(root: &Path, below: &str, depth: usize, paths: &mut Vec<String>) {
    let Ok(entries) = fs_err::read_dir(root.join(below)) else {
        return;
    };
    for entry in entries.flatten() {
        let Some(name) = entry.file_name().to_str().map(str::to_owned) else {
            continue;
        };
        let path = if below.is_empty() {
            name
        } else {
            format!("{below}/{name}")
        };
        let Ok(kind) = entry.file_type() else {
            continue;
        };
        if depth == 0 {
            if !kind.is_dir() {
                paths.push(path);
            }
        } else if kind.is_dir() || kind.is_symlink() {
            walk(root, &path, depth - 1, paths);
        }
    }
}
