"""The client for asyncio."""

from __future__ import annotations

import asyncio
import os
from typing import Any, AsyncIterator, Callable, Generic, Mapping, Optional, TypeVar, Union

from . import _locate
from ._api import AsyncApi
from ._errors import CallTimeout, ConnectionClosed, NoDaemon, SurfacedError
from ._wire import Sink, Wire, hello
from .protocol import HelloResult

Item = TypeVar("Item")


class AsyncSubscription(Generic[Item]):
    """Items of a subscription as they come: `async for item in subscription`.

    The last item has the type `end`. A lost connection raises `ConnectionClosed`. Leave early with `aclose()`, or use it in an
    `async with` statement.
    """

    def __init__(self, connection: "AsyncConnection", method: str, number: int) -> None:
        #: Its number on the connection.
        self.id = number
        self._connection = connection
        self._method = method
        self._items: "asyncio.Queue[Union[Item, SurfacedError, None]]" = asyncio.Queue()
        self._done = False

    def push(self, item: Item, last: bool) -> None:
        self._items.put_nowait(item)
        if last:
            self._items.put_nowait(None)

    def fail(self, error: SurfacedError) -> None:
        self._items.put_nowait(error)

    def __aiter__(self) -> AsyncIterator[Item]:
        return self

    async def __anext__(self) -> Item:
        if self._done:
            raise StopAsyncIteration
        item = await self._items.get()
        self._done = item is None or isinstance(item, SurfacedError)
        if item is None:
            raise StopAsyncIteration
        if isinstance(item, SurfacedError):
            raise item
        return item

    async def aclose(self) -> None:
        """Unsubscribes."""
        self._done = True
        self._connection.unsubscribe(self._method, self.id)

    async def __aenter__(self) -> "AsyncSubscription[Item]":
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()


class AsyncConnection:
    """One connection and the task that reads it."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer
        self._wire = Wire()
        self._task = asyncio.get_running_loop().create_task(self._read())

    @classmethod
    async def open(cls, path: str) -> "AsyncConnection":
        try:
            reader, writer = await asyncio.open_unix_connection(path)
        except OSError as error:
            raise NoDaemon(f"nothing answers at {path}", hint="run: surfaced ensure") from error
        return cls(reader, writer)

    @property
    def closed(self) -> bool:
        return self._wire.closed is not None

    async def request(self, method: str, params: Mapping[str, Any], timeout: Optional[float], subscribe: bool = False) -> Any:
        if self._wire.closed:
            raise self._wire.closed
        answer: "asyncio.Future[Any]" = asyncio.get_running_loop().create_future()
        sink: Optional[Callable[[int], Sink]] = (lambda number: AsyncSubscription[Any](self, method, number)) if subscribe else None
        number, data = self._wire.request(method, params, answer, sink)
        self._writer.write(data)
        try:
            return await asyncio.wait_for(answer, timeout)
        except asyncio.CancelledError:
            self._cancel(number)
            raise
        except CallTimeout:
            raise
        except asyncio.TimeoutError:
            self._cancel(number)
            raise CallTimeout(f"{method} was not answered in {timeout} seconds") from None

    def unsubscribe(self, method: str, number: int) -> None:
        if data := self._wire.unsubscribe(method, number):
            self._writer.write(data)

    def close(self, message: str = "the connection was closed") -> None:
        self._wire.close(message)
        self._writer.close()
        if asyncio.current_task() is not self._task:
            self._task.cancel()

    def _cancel(self, number: int) -> None:
        data = self._wire.cancel(number)
        if data and not self.closed:
            self._writer.write(data)

    async def _read(self) -> None:
        message = "the daemon closed the connection"
        try:
            while data := await self._reader.read(65536):
                if reply := self._wire.feed(data):
                    self._writer.write(reply)
        except OSError as error:
            message = f"the connection to the daemon broke ({error.strerror or error})"
        except ValueError:
            message = "the daemon sent something that is not JSON"
        self.close(message)


class AsyncClient(AsyncApi):
    """A client of the daemon. It connects when it is first asked, and again after the connection was lost.

    `socket` names one daemon, which is then never started; absent: `$SURFACED_SOCKET`, else the daemon of this person, started
    with `program` if need be. Cancelling the task that calls cancels the call.
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
        self._dialing = asyncio.Lock()
        self._connection: Optional[AsyncConnection] = None
        self._closed = False
        #: What the daemon said when it was connected to last.
        self.hello: Optional[HelloResult] = None

    @classmethod
    async def connect(cls, **options: Any) -> "AsyncClient":
        """A client that is connected, to a daemon that was started where none ran."""
        client = cls(**options)
        await client._connected()
        return client

    async def call(self, method: str, params: Optional[Mapping[str, Any]] = None, *, timeout: Optional[float] = None) -> Any:
        """Calls any method by its name. With `timeout`, in seconds, it is cancelled then and raises `CallTimeout`."""
        return await self._ask(method, params or {}, timeout, False)

    async def subscribe(self, method: str, params: Optional[Mapping[str, Any]] = None, *, timeout: Optional[float] = None) -> Any:
        """Calls any method that subscribes by its name."""
        return await self._ask(method, params or {}, timeout, True)

    async def aclose(self) -> None:
        """Ends the connection. Pending calls raise `ConnectionClosed`."""
        self._closed = True
        if self._connection is not None:
            self._connection.close()

    async def __aenter__(self) -> "AsyncClient":
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()

    async def _ask(self, method: str, params: Mapping[str, Any], timeout: Optional[float], subscribe: bool) -> Any:
        connection = await self._connected()
        try:
            return await connection.request(method, params, timeout, subscribe)
        except SurfacedError as error:
            if error.kind != "shutting-down" or self._fixed:
                raise
        # It refused the work and goes: its successor can do it, and `surfaced ensure` waits for that.
        successor = await self._connected(instead_of=connection)
        return await successor.request(method, params, timeout, subscribe)

    async def _connected(self, instead_of: Optional[AsyncConnection] = None) -> AsyncConnection:
        async with self._dialing:
            if self._closed:
                raise ConnectionClosed("the client was closed")
            known = self._connection
            if known is not None and not known.closed and known is not instead_of:
                return known
            self._connection = await (self._dial() if instead_of is None else self._successor())
            return self._connection

    async def _dial(self) -> AsyncConnection:
        if self._fixed:
            return await self._greet(self._fixed)
        recorded = _locate.recorded_socket()
        if recorded is not None:
            running: Optional[AsyncConnection] = None
            try:
                running = await self._greet(recorded)
            except ConnectionClosed:
                pass
            except NoDaemon as error:
                if not isinstance(error.__cause__, OSError):
                    raise
            if running is not None:
                if self.hello is not None and self.hello.get("state") != "draining":
                    return running
                running.close()
        return await self._successor()

    async def _successor(self) -> AsyncConnection:
        try:
            process = await asyncio.create_subprocess_exec(
                *_locate.ensure_command(self._program),
                stdin=asyncio.subprocess.DEVNULL,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.PIPE,
            )
        except FileNotFoundError as error:
            raise _locate.not_found(self._program) from error
        stdout, stderr = await process.communicate()
        return await self._greet(_locate.socket_of(self._program, process.returncode or 0, stdout, stderr))

    async def _greet(self, path: str) -> AsyncConnection:
        """Connects, and waits for the answer to `daemon.hello`: only that shows that a daemon lives."""
        connection = await AsyncConnection.open(path)
        try:
            self.hello = await connection.request("daemon.hello", hello(self._name), self._hello_timeout)
        except CallTimeout:
            connection.close()
            raise NoDaemon(f"the daemon at {path} does not answer", hint="run: surfaced doctor") from None
        except BaseException:
            connection.close()
            raise
        return connection
