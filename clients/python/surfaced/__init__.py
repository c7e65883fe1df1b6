"""A client of surfaced, the daemon that opens interactive commands in the terminal you use.

`Client` blocks, `AsyncClient` is for asyncio. Both have one typed method for each RPC: `surface.inject` is
`client.surface_inject(surface=…, text=…)`.
"""

from ._aio import AsyncClient, AsyncSubscription
from ._errors import CallTimeout, ConnectionClosed, NoDaemon, SurfacedError
from ._sync import Client, Subscription
from ._wire import PROTOCOL

__all__ = [
    "PROTOCOL",
    "AsyncClient",
    "AsyncSubscription",
    "CallTimeout",
    "Client",
    "ConnectionClosed",
    "NoDaemon",
    "Subscription",
    "SurfacedError",
]
