//! Reading as little of a file as says what is in it.

use std::io;
use std::os::unix::fs::FileExt;
use std::path::Path;

use crate::provider::transcript::{Format, Reading, Sample};

/// How much of the beginning is read: most conversations say everything in the first step. Instructions that a program writes
/// in front can be long.
const STEPS: [usize; 3] = [16 << 10, 256 << 10, 4 << 20];

/// How much of the end.
const TAIL: u64 = 16 << 10;

/// The most bytes of a file beside it.
const BESIDE: usize = 4 << 10;

/// What the file below this root says, `size` bytes long.
///
/// # Errors
/// It cannot be read.
pub(super) fn read(format: &dyn Format, root: &Path, path: &str, size: u64) -> io::Result<Reading> {
    let file = fs_err::File::open(root.join(path))?;
    let mut head = Vec::new();
    let mut tail = Vec::new();
    let beside = format
        .beside(path)
        .and_then(|beside| text(&root.join(beside)));
    for (step, limit) in STEPS.into_iter().enumerate() {
        fill(&file, &mut head, limit)?;
        let whole = head.len() < limit || head.len() as u64 >= size;
        if !whole && tail.is_empty() {
            tail = end(&file, size)?;
        }
        let reading = format.read(Sample {
            path,
            head: &head,
            tail: &tail,
            whole,
            last: whole || step + 1 == STEPS.len(),
            beside: beside.as_deref(),
        });
        if reading != Reading::More {
            return Ok(reading);
        }
    }
    Ok(Reading::Nothing)
}

/// Reads on until `head` has `limit` bytes or the file ends.
fn fill(file: &fs_err::File, head: &mut Vec<u8>, limit: usize) -> io::Result<()> {
    let mut length = head.len();
    head.resize(limit, 0);
    while length < limit {
        match file.file().read_at(&mut head[length..], length as u64) {
            Ok(0) => break,
            Ok(read) => length += read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    head.truncate(length);
    Ok(())
}

fn end(file: &fs_err::File, size: u64) -> io::Result<Vec<u8>> {
    let start = size.saturating_sub(TAIL);
    let mut tail = vec![0; usize::try_from(size - start).unwrap_or(0)];
    match file.file().read_exact_at(&mut tail, start) {
        Ok(()) => Ok(tail),
        // It became shorter meanwhile.
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(Vec::new()),
        Err(error) => Err(error),
    }
}

fn text(path: &Path) -> Option<String> {
    let file = fs_err::File::open(path).ok()?;
    let mut bytes = Vec::new();
    fill(&file, &mut bytes, BESIDE).ok()?;
    String::from_utf8(bytes).ok()
}
