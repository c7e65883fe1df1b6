"""The client that blocks."""

from __future__ import annotations

import os
import queue
import socket
import subprocess
import threading
from concurrent.futures import Future
from concurrent.futures import TimeoutError as FutureTimeout
from typing import Any, Callable, Generic, Iterator, Mapping, Optional, TypeVar, Union

from . import _locate
from ._api import Api
from ._errors import CallTimeout, ConnectionClosed, NoDaemon, SurfacedError
from ._wire import Sink, Wire, hello
from .protocol import HelloResult

Item = TypeVar("Item")


class Subscription(Generic[Item]):
    """Items of a subscription as they come: `for item in subscription`.

    The last item has the type `end`. A lost connection raises `ConnectionClosed`. Leave early with `close()`, or use it in a
    `with` statement.
    """

    def __init__(self, connection: "Connection", method: str, number: int) -> None:
        #: Its number on the connection.
        self.id = number
        self._connection = connection
        self._method = method
        self._items: "queue.SimpleQueue[Union[Item, SurfacedError, None]]" = queue.SimpleQueue()
        self._done = False

    def push(self, item: Item, last: bool) -> None:
        self._items.put(item)
        if last:
            self._items.put(None)

    def fail(self, error: SurfacedError) -> None:
        self._items.put(error)

    def get(self, timeout: Optional[float] = None) -> Optional[Item]:
        """The next item; None after the last one. Raises `CallTimeout` where none comes in time."""
        if self._done:
            return None
        try:
            item = self._items.get(timeout=timeout)
        except queue.Empty:
            raise CallTimeout(f"no item of {self._method} came in time") from None
        self._done = item is None or isinstance(item, SurfacedError)
        if isinstance(item, SurfacedError):
            raise item
        return item

    def __iter__(self) -> Iterator[Item]:
        return self

    def __next__(self) -> Item:
        item = self.get()
        if item is None:
            raise StopIteration
        return item

    def close(self) -> None:
        """Unsubscribes."""
        self._done = True
        self._connection.unsubscribe(self._method, self.id)

    def __enter__(self) -> "Subscription[Item]":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class Connection:
    """One connection and the thread that reads it. Any thread may call."""

    def __init__(self, path: str) -> None:
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            self._socket.connect(path)
        except OSError as error:
            self._socket.close()
            raise NoDaemon(f"nothing answers at {path}", hint="run: surfaced ensure") from error
        self._wire = Wire()
        self._state = threading.RLock()
        self._writing = threading.Lock()
        threading.Thread(target=self._read, name="surfaced", daemon=True).start()

    @property
    def closed(self) -> bool:
        return self._wire.closed is not None

    def request(self, method: str, params: Mapping[str, Any], timeout: Optional[float], subscribe: bool = False) -> Any:
        answer: "Future[Any]" = Future()
        sink: Optional[Callable[[int], Sink]] = (lambda number: Subscription[Any](self, method, number)) if subscribe else None
        with self._state:
            if self._wire.closed:
                raise self._wire.closed
            number, data = self._wire.request(method, params, answer, sink)
        self._send(data)
        try:
            return answer.result(timeout)
        except BaseException as error:
            if answer.done() and not isinstance(error, FutureTimeout):
                raise
            with self._state:
                data = self._wire.cancel(number)
            self._send(data)
            if isinstance(error, FutureTimeout):
                raise CallTimeout(f"{method} was not answered in {timeout} seconds") from None
            raise

    def unsubscribe(self, method: str, number: int) -> None:
        with self._state:
            data = self._wire.unsubscribe(method, number)
        self._send(data)

    def close(self, message: str = "the connection was closed") -> None:
        with self._state:
            self._wire.close(message)
        try:
            self._socket.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass  # it is gone already
        self._socket.close()

    def _send(self, data: bytes) -> None:
        if not data:
            return
        try:
            with self._writing:
                self._socket.sendall(data)
        except OSError as error:
            self.close(f"the connection to the daemon broke ({error.strerror or error})")

    def _read(self) -> None:
        message = "the daemon closed the connection"
        try:
            while data := self._socket.recv(65536):
                with self._state:
                    reply = self._wire.feed(data)
                self._send(reply)
        except OSError as error:
            message = f"the connection to the daemon broke ({error.strerror or error})"
        except ValueError:
            message = "the daemon sent something that is not JSON"
        self.close(message)


class Client(Api):
    """A client of the daemon. It connects when it is first asked, and again after the connection was lost.

    `socket` names one daemon, which is then never started; absent: `$SURFACED_SOCKET`, else the daemon of this person, started
    with `program` if need be. Threads may share a client; their calls run concurrently.
    """

    def __init__(
        self,
        *,
        socket: Optional[str] = None,
        program: str = "surfaced",
        name: str = "surfaced for python",
        hello_timeout: float = 10.0,
    ) -> None:
        self._fixed = socket or os.environ.get("SURFACED_SOCKET") or None
        self._program = program
        self._name = name
        self._hello_timeout = hello_timeout
        self._dialing = threading.Lock()
        self._connection: Optional[Connection] = None
        self._closed = False
        #: What the daemon said when it was connected to last.
        self.hello: Optional[HelloResult] = None

    @classmethod
    def connect(cls, **options: Any) -> "Client":
        """A client that is connected, to a daemon that was started where none ran."""
        client = cls(**options)
        client._connected()
        return client

    def call(self, method: str, params: Optional[Mapping[str, Any]] = None, *, timeout: Optional[float] = None) -> Any:
        """Calls any method by its name. With `timeout`, in seconds, it is cancelled then and raises `CallTimeout`."""
        return self._ask(method, params or {}, timeout, False)

    def subscribe(self, method: str, params: Optional[Mapping[str, Any]] = None, *, timeout: Optional[float] = None) -> Any:
        """Calls any method that subscribes by its name."""
        return self._ask(method, params or {}, timeout, True)

    def close(self) -> None:
        """Ends the connection. Pending calls raise `ConnectionClosed`."""
        self._closed = True
        if self._connection is not None:
            self._connection.close()

    def __enter__(self) -> "Client":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _ask(self, method: str, params: Mapping[str, Any], timeout: Optional[float], subscribe: bool) -> Any:
        connection = self._connected()
        try:
            return connection.request(method, params, timeout, subscribe)
        except SurfacedError as error:
            if error.kind != "shutting-down" or self._fixed:
                raise
        # It refused the work and goes: its successor can do it, and `surfaced ensure` waits for that.
        return self._connected(instead_of=connection).request(method, params, timeout, subscribe)

    def _connected(self, instead_of: Optional[Connection] = None) -> Connection:
        with self._dialing:
            if self._closed:
                raise ConnectionClosed("the client was closed")
            known = self._connection
            if known is not None and not known.closed and known is not instead_of:
                return known
            self._connection = self._dial() if instead_of is None else self._greet(self._ensure())
            return self._connection

    def _dial(self) -> Connection:
        if self._fixed:
            return self._greet(self._fixed)
        recorded = _locate.recorded_socket()
        if recorded is not None:
            try:
                running = self._greet(recorded)
            except ConnectionClosed:
                running = None
            except NoDaemon as error:
                if not isinstance(error.__cause__, OSError):
                    raise
                running = None
            if running is not None:
                if self.hello is not None and self.hello.get("state") != "draining":
                    return running
                running.close()
        return self._greet(self._ensure())

    def _ensure(self) -> str:
        try:
            done = subprocess.run(_locate.ensure_command(self._program), capture_output=True, stdin=subprocess.DEVNULL)
        except FileNotFoundError as error:
            raise _locate.not_found(self._program) from error
        return _locate.socket_of(self._program, done.returncode, done.stdout, done.stderr)

    def _greet(self, path: str) -> Connection:
        """Connects, and waits for the answer to `daemon.hello`: only that shows that a daemon lives."""
        connection = Connection(path)
        try:
            self.hello = connection.request("daemon.hello", hello(self._name), self._hello_timeout)
        except CallTimeout:
            connection.close()
            raise NoDaemon(f"the daemon at {path} does not answer", hint="run: surfaced doctor") from None
        except BaseException:
            connection.close()
            raise
        return connection
