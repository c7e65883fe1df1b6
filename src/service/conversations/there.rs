//! The conversations on the disk of a host, as far as its files tell them: the newest of each program, or those whose names begin
//! like an id. Nothing is left there: its own `find`, `head` and `tail` read what is needed.

use std::path::PathBuf;

use super::Conversation;
use crate::launch::step::Invocation;
use crate::proto::{Failure, Kind};
use crate::provider::Providers;
use crate::provider::transcript::{Reading, Sample};
use crate::transport::Transport;

/// The most files of one directory of conversations that are looked at.
const FILES: &str = "60";

/// How much of the beginning of each is read, and how much of its end.
const HEAD: &str = "16384";
const TAIL: &str = "4096";

/// Marks our lines.
const MARK: &str = "surfaced-file";

/// The part of an id that every program writes into the name of its file.
const NAMED: usize = 8;

/// `$1` mark, `$2` files, `$3` head, `$4` tail, `$5` part of the names; then a number and a directory below home for each root.
const READ: &str = r#"mark=$1 files=$2 head=$3 tail=$4 part=$5
shift 5
while [ $# -gt 1 ]; do
  root=$HOME$2
  if [ -d "$root" ]; then
    find "$root/" -type f -name "*$part*.json*" -exec ls -1td -- {} + 2>/dev/null | head -n "$files" |
      while IFS= read -r file; do
        size=$(wc -c <"$file") && written=$(stat -c %Y -- "$file" 2>/dev/null || stat -f %m -- "$file") || continue
        size=$((size))
        one=$size two=0
        [ "$size" -gt "$head" ] && one=$head two=$((size - head))
        [ "$two" -gt "$tail" ] && two=$tail
        beside=
        [ -f "${file%/chats/*}/.project_root" ] && IFS= read -r beside <"${file%/chats/*}/.project_root"
        printf '\n%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n' "$mark" "$1" "$written" "$size" "$one" "$two" "${file#"$root/"}" "$beside"
        head -c "$one" "$file"
        tail -c "$two" "$file"
      done
  fi
  shift 2
done
"#;

/// The conversations on a host: the newest, or those of these ids or beginnings of ids.
///
/// # Errors
/// What a host can fail with.
pub async fn on(
    link: &dyn Transport,
    providers: &Providers,
    ids: &[&str],
) -> Result<Vec<Conversation>, Failure> {
    let mut parts: Vec<String> = ids.iter().filter_map(|id| part(id)).collect();
    parts.sort();
    parts.dedup();
    if ids.is_empty() {
        parts.push(String::new());
    }
    let mut found: Vec<Conversation> = Vec::new();
    for part in parts {
        let answer = link.run(question(providers, &part)).await?;
        if !answer.ok() {
            return Err(Failure::new(
                Kind::StateUnknown,
                format!(
                    "cannot list the sessions on the disk of the host: {}",
                    answer.complaint()
                ),
            ));
        }
        found.extend(read(&answer.stdout, providers));
    }
    found.sort_by(|one, other| {
        let newest = other.last_ms.cmp(&one.last_ms);
        newest.then_with(|| one.said.id.cmp(&other.said.id))
    });
    let mut seen = std::collections::HashSet::new();
    found.retain(|one| seen.insert((one.provider.id().to_owned(), one.said.id.clone())));
    Ok(found)
}

/// What names of files are looked for. Ids of our own agents and other words name no file.
fn part(id: &str) -> Option<String> {
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    id.chars()
        .all(plain)
        .then(|| id.chars().take(NAMED).collect())
}

fn question(providers: &Providers, part: &str) -> Invocation {
    let mut words: Vec<String> = ["/bin/sh", "-c", READ, "sh", MARK, FILES, HEAD, TAIL, part]
        .map(str::to_owned)
        .to_vec();
    for (number, provider) in providers.iter().enumerate() {
        let Some(format) = provider.transcripts() else {
            continue;
        };
        for root in format.roots("", &|_| None) {
            words.extend([number.to_string(), root]);
        }
    }
    Invocation::new(words)
}

/// The conversations in an answer; what is no conversation, or was cut off, is left out.
fn read(mut bytes: &[u8], providers: &Providers) -> Vec<Conversation> {
    let mut found = Vec::new();
    let mark = format!("\n{MARK}\t");
    while let Some(at) = memchr::memmem::find(bytes, mark.as_bytes()) {
        bytes = &bytes[at + mark.len()..];
        let Some(end) = memchr::memchr(b'\n', bytes) else {
            break;
        };
        let header = String::from_utf8_lossy(&bytes[..end]).into_owned();
        let rest = &bytes[end + 1..];
        let fields: Vec<&str> = header.splitn(7, '\t').collect();
        let [number, written, size, one, two, path, beside] = fields[..] else {
            continue;
        };
        let numbers: Option<Vec<usize>> = [number, size, one, two]
            .into_iter()
            .map(|field| field.parse().ok())
            .collect();
        let Some([number, size, one, two]) = numbers.as_deref() else {
            continue;
        };
        if rest.len() < one + two {
            break;
        }
        let (head, tail) = rest[..one + two].split_at(*one);
        bytes = &rest[one + two..];
        let Some(provider) = providers.iter().nth(*number) else {
            continue;
        };
        let Some(format) = provider.transcripts().filter(|format| format.holds(path)) else {
            continue;
        };
        let reading = format.read(Sample {
            path,
            head,
            tail,
            whole: one == size,
            last: true,
            beside: Some(beside).filter(|beside| !beside.is_empty()),
        });
        if let Reading::Conversation(said) = reading {
            let written: u64 = written.parse().unwrap_or(0);
            found.push(Conversation {
                provider: provider.clone(),
                file: PathBuf::from(path),
                last_ms: said.updated_ms.unwrap_or(written * 1000),
                said,
            });
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transport::Local;

    #[tokio::test]
    async fn files_are_read_where_they_are() {
        let home = tempfile::tempdir().unwrap();
        let dir = home.path().join(".claude/projects/-x y");
        std::fs::create_dir_all(&dir).unwrap();
        let line = |id: &str, said: &str| {
            format!(
                r#"{{"type":"user","sessionId":"{id}","cwd":"/x y","version":"2.1.187","timestamp":"2026-01-01T00:00:00Z","message":{{"role":"user","content":"{said}"}}}}"#
            )
        };
        for (id, lines) in [("11111111-a", 1), ("11111111-b", 500), ("22222222-a", 1)] {
            let text = (0..lines).fold(String::new(), |text, n| {
                text + &line(id, &format!("said {n}")) + "\n"
            });
            std::fs::write(dir.join(format!("{id}.jsonl")), text).unwrap();
        }
        std::fs::write(dir.join("broken.jsonl"), "\nsurfaced-file\tx\n").unwrap();
        let home = home.path().display().to_string();
        let providers = Providers::default();
        let ids = async |part: &str| {
            let mut question = question(&providers, part);
            question.env.insert("HOME".to_owned(), home.clone());
            let local = Local::new("/usr/bin:/bin");
            let answer = local.run(question).await.unwrap();
            let found = read(&answer.stdout, &providers);
            let mut ids: Vec<String> = found
                .into_iter()
                .map(|one| {
                    assert_eq!(one.said.cwd.as_deref(), Some("/x y"));
                    assert_eq!(one.said.version.as_deref(), Some("2.1.187"));
                    assert_eq!(one.said.title.as_deref(), Some("said 0"));
                    assert!(one.last_ms > 0);
                    one.said.id
                })
                .collect();
            ids.sort();
            ids
        };
        assert_eq!(ids("").await, ["11111111-a", "11111111-b", "22222222-a"]);
        assert_eq!(ids("11111111").await, ["11111111-a", "11111111-b"]);
        assert_eq!(ids("3").await, Vec::<String>::new());
    }

    #[test]
    fn only_plain_ids_are_looked_for() {
        for (id, expected) in [
            ("0193b5a4-6c1f-7e52", Some("0193b5a4")),
            ("ses_1", Some("ses_1")),
            ("a*", None),
            ("a/b", None),
        ] {
            assert_eq!(part(id).as_deref(), expected, "{id}");
        }
    }
}
