"""What calls raise."""

from __future__ import annotations

from typing import Any, Optional


class SurfacedError(Exception):
    """A failed call. Branch on `kind`; show `message` and `hint`."""

    def __init__(
        self,
        kind: str,
        message: str,
        *,
        code: Optional[int] = None,
        hint: Optional[str] = None,
        path: Optional[str] = None,
        detail: Any = None,
    ) -> None:
        super().__init__(message)
        #: What went wrong, as a word.
        self.kind = kind
        #: One sentence for people.
        self.message = message
        #: The JSON-RPC code; None where no reply came.
        self.code = code
        #: What the person can do next.
        self.hint = hint
        #: Which parameter is meant, such as `items[2].cwd`.
        self.path = path
        #: More facts, in a shape that depends on the kind.
        self.detail = detail


class ConnectionClosed(SurfacedError):
    """The connection ended before the answer came. What was asked may or may not have been done."""

    def __init__(self, message: str) -> None:
        super().__init__("connection-closed", message)


class NoDaemon(SurfacedError):
    """No daemon answers and none could be started."""

    def __init__(self, message: str, *, hint: Optional[str] = None) -> None:
        super().__init__("no-daemon", message, hint=hint)


class CallTimeout(SurfacedError, TimeoutError):
    """No answer came within the `timeout` of the call, which the daemon was told to cancel."""

    def __init__(self, message: str) -> None:
        super().__init__("timeout", message)


def from_reply(error: Any) -> SurfacedError:
    """The error of a reply, whatever shape a daemon of another version gave it."""
    body = error if isinstance(error, dict) else {}
    data = body.get("data")
    data = data if isinstance(data, dict) else {}

    def text(value: Any) -> Optional[str]:
        return value if isinstance(value, str) else None

    code = body.get("code")
    return SurfacedError(
        text(data.get("kind")) or "internal",
        text(body.get("message")) or "the daemon sent an error without a message",
        code=code if isinstance(code, int) else None,
        hint=text(data.get("hint")),
        path=text(data.get("path")),
        detail=data.get("detail"),
    )
