"""Where the daemon is, and how it is started."""

from __future__ import annotations

import json
import os
import pwd
import re
import sys
from pathlib import Path
from typing import Optional

from ._errors import NoDaemon


def home() -> Path:
    """The daemon's home: `$SURFACED_HOME`, else a place under the home directory of the password database."""
    given = os.environ.get("SURFACED_HOME")
    if given:
        return Path(given)
    person = Path(pwd.getpwuid(os.getuid()).pw_dir)
    if sys.platform == "darwin":
        return person / "Library" / "Application Support" / "surfaced"
    return person / ".local" / "state" / "surfaced"


def recorded_socket() -> Optional[str]:
    """The socket that the last daemon of this home wrote down. It may be gone."""
    try:
        record = json.loads((home() / "daemon.json").read_bytes())
    except (OSError, ValueError):
        return None
    socket = record.get("socket") if isinstance(record, dict) else None
    return socket if isinstance(socket, str) else None


def ensure_command(program: str) -> "list[str]":
    """What starts the daemon where none answers, waits out a drain, and prints where it is."""
    return [program, "ensure", "--json"]


def not_found(program: str) -> NoDaemon:
    """The failure where there is no such program."""
    return NoDaemon(
        f"no daemon answers and {program} is not on PATH",
        hint="install surfaced, or give its path as program",
    )


def socket_of(program: str, status: int, stdout: bytes, stderr: bytes) -> str:
    """The socket that `surfaced ensure --json` printed."""
    if status != 0:
        said = stderr.decode(errors="replace")
        raise NoDaemon(
            _line("error", said) or f"{program} ensure failed: {said.strip() or status}",
            hint=_line("hint", said) or "run: surfaced doctor",
        )
    try:
        return str(json.loads(stdout)["socket"])
    except (ValueError, KeyError, TypeError):
        raise NoDaemon(f"{program} ensure named no socket") from None


def _line(label: str, text: str) -> Optional[str]:
    found = re.search(rf"^{label}: (.*)$", text, re.MULTILINE)
    return found.group(1) if found else None
