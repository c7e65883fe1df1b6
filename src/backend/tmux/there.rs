//! Opening on a host in one command: which session, or that there is none, is found out over there. Each question of its own would
//! cost a way there and back.

use super::build::build;
use super::open::{OWN_SESSIONS, kept};
use crate::backend::Job;
use crate::launch::step::Invocation;
use crate::proto::launch::SlotAt;
use crate::tmux::list::CHOICE;

/// Chooses as [`crate::tmux::list::most_recently_attached`] does, from what [`CHOICE`] asks for, and becomes the command for that
/// session, or the one that makes a session where none is.
///
/// Words: [`CHOICE`], how the names of our own sessions begin, how many words the first command has and which of them is the session,
/// that command, the other one. Lines of tmux that are no row are no session either; a list of nothing else is a failure.
const OPEN: &str = r#"format=$1 own=$2 length=$3 at=$4
shift 4
rows=$(tmux -u list-sessions -F "$format" 2>&1) || case $rows in
  "no server running on "* | "error connecting to "*" (No such file or directory)" | "no current target"*) rows= ;;
  *)
    printf '%s\n' "$rows" >&2
    exit 1
    ;;
esac
best= known= top=0 since=0 active=0 number=0
while IFS=' ' read -r mark shown attached activity id name; do
  [ "$mark" = session ] || continue
  known=yes
  case $shown$name in 0"$own"*) continue ;; esac
  for pair in "$shown:$top" "$attached:$since" "$activity:$active" "${id#?}:$number" end; do
    [ "$pair" = end ] || [ "${pair%:*}" -eq "${pair#*:}" ] || break
  done
  if [ ! "$best" ] || { [ "$pair" != end ] && [ "${pair%:*}" -gt "${pair#*:}" ]; }; then
    best=$id top=$shown since=$attached active=$activity number=${id#?}
  fi
done <<END
$rows
END
if [ "$rows" ] && [ ! "$known" ]; then
  printf 'its sessions cannot be listed: %s\n' "$rows" >&2
  exit 1
fi
if [ "$best" ]; then
  count=$# index=0
  while [ "$index" -lt "$count" ]; do
    word=$1
    shift
    [ "$index" -ne "$at" ] || word=$best:
    [ "$index" -ge "$length" ] || set -- "$@" "$word"
    index=$((index + 1))
  done
else
  shift "$length"
fi
exec "$@""#;

/// The command, for a job whose session is to be chosen. `None`: it is of a form that needs several.
pub(super) fn open(job: &Job) -> Option<Invocation> {
    let draft = build(job);
    let other = draft.otherwise?;
    let [slot] = draft.slots.as_slice() else {
        return None;
    };
    let SlotAt::Argv(at) = slot.at else {
        return None;
    };
    let head = ["/bin/sh", "-c", OPEN, "surfaced-open", CHOICE, OWN_SESSIONS];
    let argv = head
        .into_iter()
        .map(str::to_owned)
        .chain([draft.argv.len().to_string(), at.to_string()])
        .chain(draft.argv)
        .chain(other)
        .chain(kept());
    Some(Invocation {
        tool: Some("tmux".to_owned()),
        ..Invocation::new(argv)
    })
}
