"""The protocol without I/O: what to send, and who gets what was received. Both clients are drivers of this."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, Callable, Dict, List, Mapping, Optional, Protocol, Tuple

from ._api import STREAM_ENDS
from ._errors import ConnectionClosed, SurfacedError, from_reply

#: The protocol that this library was written for; a daemon one version older or newer is fine.
PROTOCOL = 1


class Sink(Protocol):
    """Takes the items of one subscription."""

    def push(self, item: Any, last: bool) -> None: ...

    def fail(self, error: SurfacedError) -> None: ...


class Answer(Protocol):
    """What `concurrent.futures.Future` and `asyncio.Future` have in common."""

    def done(self) -> bool: ...

    def set_result(self, result: Any, /) -> None: ...

    def set_exception(self, exception: Any, /) -> None: ...


@dataclass
class Pending:
    """A request whose answer is still to come; `answer` is None when nobody waits for it any more."""

    method: str
    answer: Optional[Answer]
    sink: Optional[Callable[[int], Sink]]


class Wire:
    """The state of one connection. Not safe for threads: its driver takes care of that."""

    def __init__(self) -> None:
        self.closed: Optional[ConnectionClosed] = None
        self._pieces: List[bytes] = []
        self._pending: Dict[int, Pending] = {}
        self._sinks: Dict[int, Sink] = {}
        self._last_id = 0

    def request(
        self, method: str, params: Mapping[str, Any], answer: Optional[Answer], sink: Optional[Callable[[int], Sink]] = None
    ) -> Tuple[int, bytes]:
        """The bytes of a request, and its id. With `sink` the answer is what it makes of the subscription's number."""
        self._last_id += 1
        # What is not JSON is found out before anybody waits for an answer: there would be none.
        data = encode({"id": self._last_id, "method": method, "params": params})
        self._pending[self._last_id] = Pending(method, answer, sink)
        return self._last_id, data

    def cancel(self, request: int) -> bytes:
        """Nobody waits for this answer any more: the bytes that tell the daemon, if it is still to come."""
        pending = self._pending.get(request)
        if pending is None:
            return b""
        pending.answer = None
        return encode({"method": "$/cancelRequest", "params": {"id": request}})

    def unsubscribe(self, method: str, subscription: int) -> bytes:
        """The bytes that end a subscription; none where it ended already."""
        if self._sinks.pop(subscription, None) is None or self.closed:
            return b""
        return self._end(method, subscription)

    def feed(self, data: bytes) -> bytes:
        """Takes received bytes, hands out what is complete, and returns what is to be sent in return."""
        *lines, rest = data.split(b"\n")
        reply = b""
        for line in lines:
            whole = b"".join([*self._pieces, line])
            self._pieces = []
            if whole.strip():
                reply += self._receive(json.loads(whole))
        if rest:
            self._pieces.append(rest)
        return reply

    def close(self, message: str) -> None:
        """The connection ended: everything that is pending fails."""
        if self.closed:
            return
        self.closed = ConnectionClosed(message)
        pending, self._pending = self._pending, {}
        sinks, self._sinks = self._sinks, {}
        for one in pending.values():
            if one.answer is not None and not one.answer.done():
                one.answer.set_exception(ConnectionClosed(f"{message} before it answered {one.method}"))
        for sink in sinks.values():
            sink.fail(ConnectionClosed(message))

    def _receive(self, message: Any) -> bytes:
        if not isinstance(message, dict):
            return b""
        if "method" in message:
            self._item(message.get("params"))
            return b""
        pending = self._pending.pop(message.get("id"), None)  # type: ignore[arg-type]
        if pending is None:
            return b""
        error, result = message.get("error"), message.get("result")
        subscription = result.get("subscription") if isinstance(result, dict) else None
        if pending.answer is None or pending.answer.done():
            # It crossed its cancellation. A subscription that nobody holds is ended.
            wanted = pending.method in STREAM_ENDS and isinstance(subscription, int)
            return self._end(pending.method, subscription) if wanted else b""
        if error:
            pending.answer.set_exception(from_reply(error))
        elif pending.sink is None:
            pending.answer.set_result(result)
        elif isinstance(subscription, int):
            sink = self._sinks[subscription] = pending.sink(subscription)
            pending.answer.set_result(sink)
        else:
            pending.answer.set_exception(SurfacedError("internal", f"{pending.method} answered without a subscription"))
        return b""

    def _item(self, params: Any) -> None:
        if not isinstance(params, dict):
            return
        item = params.get("result")
        last = isinstance(item, dict) and item.get("type") == "end"
        subscription: Any = params.get("subscription")
        sink = self._sinks.pop(subscription, None) if last else self._sinks.get(subscription)
        if sink is not None:
            sink.push(item, last)

    def _end(self, method: str, subscription: Any) -> bytes:
        return self.request(STREAM_ENDS[method], {"subscription": subscription}, None)[1]


def encode(message: Dict[str, Any]) -> bytes:
    """One message, one line. Raises `SurfacedError` with the kind `invalid-params` for what JSON has no word for."""
    try:
        text = json.dumps({"jsonrpc": "2.0", **message}, separators=(",", ":"), allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise SurfacedError("invalid-params", f"the parameters of {message['method']} are not JSON: {error}") from error
    return text.encode() + b"\n"


def hello(client: str) -> Dict[str, Any]:
    """The parameters of the first call."""
    return {"client": client, "protocol": {"min": PROTOCOL - 1, "max": PROTOCOL + 1}}
