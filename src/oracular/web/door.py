"""Connections, one by one and all together: how much, how long and how many.

A connection is uvicorn's own, with limits: the head of a request has so many bytes and so many seconds, and a
connection at rest is closed after a while, whatever trickles in on it. There is room for a fixed number of connections,
which follows from how many files the process may have open. Where a newcomer finds no room, the connection that has
been waiting for its client the longest is closed. A request that has arrived whole is not waited for, so nobody is
closed while it is being answered; but where its reply lies there and is not taken, the client is waited for again.
"""

from __future__ import annotations

import asyncio
import json
from collections import Counter, OrderedDict
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from starlette.types import Message, Receive, Scope, Send
from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol, RequestResponseCycle

from oracular.web.visitors import counted_as, plain

MOST_CONNECTIONS = 1000
"""More are never held, however many files may be open."""

SPARE_FILES = 24
"""Files that the server opens while it runs: its event loop's, the page's, word lists, strategies."""

USED_FILES = 32
"""How many files are taken to be open where the system does not tell."""

MOST_BACKLOG = 128
"""More never wait to be accepted."""

MOST_SWALLOWED = 1 << 20
"""What is read of one request at most, a body included that was refused and comes nevertheless."""

SECONDS_OF_GRACE = 0.1
"""An address may have too many connections for so long: the latest may have sent a request that was not read yet."""

MOST_QUEUED = 16
"""How many requests may wait behind another on one connection."""


def files_allowed() -> int:
    """Return how many files this process may have open."""
    try:
        import resource
    except ImportError:  # a system without such limits
        return MOST_CONNECTIONS
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return 1 << 30 if soft == resource.RLIM_INFINITY else soft


def files_open() -> int:
    """Return how many files this process has open."""
    try:
        return len(list(Path("/dev/fd").iterdir()))
    except OSError:
        return USED_FILES


def connections_for(allowed: int, used: int) -> tuple[int, int]:
    """Return how many connections may be held, and how many may wait to be accepted.

    All that wait may be accepted in one go before any other is closed, so together they must fit.

    Args:
        allowed: how many files the process may have open.
        used: how many it has open before the first connection comes.
    """
    free = allowed - used - SPARE_FILES
    backlog = max(4, min(MOST_BACKLOG, free // 3))
    return max(4, min(MOST_CONNECTIONS, free - backlog)), backlog


@dataclass(frozen=True)
class Limits:
    """What a connection may be like.

    Attributes:
        connections: how many are held at once.
        an_address: how many of them one address may have; None where addresses say nothing.
        not_counted: addresses that may have any number, since they stand for many people; written plainly.
        head_bytes: the longest head of a request.
        head_seconds: how long a head may take to arrive.
        rest_seconds: how long a connection may lie idle.
        take_seconds: how long a client may leave a reply lying.
    """

    connections: int
    an_address: int | None
    not_counted: frozenset[str]
    head_bytes: int
    head_seconds: float
    rest_seconds: float
    take_seconds: float


class Door:
    """All connections of a server.

    Attributes:
        limits: what they may be like.
        waiting: those that wait for their client, the longest first; the others are being served.
    """

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self.waiting: OrderedDict[Connection, None] = OrderedDict()
        self._held: set[Connection] = set()
        self._by_address: Counter[str] = Counter()

    def enter(self, connection: Connection) -> bool:
        """Take a newcomer in, if need be in the place of another; tell whether there was room."""
        address, limits = connection.address, self.limits
        share = None if address in limits.not_counted else limits.an_address
        excess = 0 if share is None else self._by_address[address] + 1 - share
        if len(self._held) >= limits.connections:
            if not self._close_oldest(address if excess > 0 else None):
                return False
        elif share is not None and excess > 0:
            if excess > sum(one.address == address for one in self.waiting):
                return False
            connection.loop.call_later(SECONDS_OF_GRACE, self._trim, address, share)
        self._held.add(connection)
        self._by_address[address] += 1
        self.waiting[connection] = None
        return True

    def leave(self, connection: Connection) -> None:
        """Forget a connection that has ended."""
        self.waiting.pop(connection, None)
        if connection in self._held:
            self._held.remove(connection)
            self._by_address[connection.address] -= 1
            if not self._by_address[connection.address]:
                del self._by_address[connection.address]

    def _trim(self, address: str, most: int) -> None:
        """Close connections of an address that has more than it may."""
        while self._by_address[address] > most and self._close_oldest(address):
            pass

    def _close_oldest(self, address: str | None) -> bool:
        """Close the connection that has waited the longest, of one address if one is given; tell whether there is."""
        oldest = next((one for one in self.waiting if address is None or one.address == address), None)
        if oldest is None:
            return False
        self.leave(oldest)
        oldest.transport.abort()
        return True

    def wait_for(self, connection: Connection) -> None:
        """Note that a connection begins to wait for its client."""
        if connection in self._held:
            self.waiting[connection] = None
            self.waiting.move_to_end(connection)

    def close(self) -> None:
        """Close every connection at once, whatever is still to be sent or to come on it."""
        for connection in list(self._held):
            connection.transport.abort()

    def sweep(self, now: float) -> None:
        """Close every connection whose time has run out."""
        for connection in [one for one in self._held if one.deadline <= now]:
            connection.time_out()


class Connection(HttpToolsProtocol):
    """A connection of uvicorn's that keeps to limits.

    Attributes:
        door: all connections of the server; set by `connection_class`.
        address: what the client's address is counted as.
        deadline: when the connection is closed unless something happens, by the event loop's clock.
    """

    door: Door

    def __init__(self, *args: Any, **keywords: Any) -> None:
        super().__init__(*args, **keywords)
        self._application, self.app = self.app, self._serve
        self.address = ""
        self.deadline = float("inf")
        self._bytes = 0  # of the request that is arriving
        self._in_head = False
        self._arriving = False
        self._refused = False
        self._cycles: set[RequestResponseCycle] = set()  # requests that have no whole reply yet

    async def _serve(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Have a request answered.

        A reply to somebody who has hung up goes nowhere, and says nothing to the log. Nor does one that is broken off
        because the server stops.
        """

        async def send_if_there(message: Message) -> None:
            if self.transport.is_closing():
                self._hang_up()
            else:
                await send(message)

        try:
            await self._application(scope, receive, send_if_there)
        except asyncio.CancelledError:
            self._hang_up()
            self.transport.abort()

    def _hang_up(self) -> None:
        for cycle in self._cycles:
            cycle.disconnected = True
            cycle.message_event.set()
        self._cycles.clear()

    def connection_made(self, transport: Any) -> None:
        """Take a newcomer in, or say that there is no room."""
        super().connection_made(transport)
        if self.client is not None:
            self.client = plain(self.client[0]), self.client[1]
            own = self.client[0]
            self.address = own if own in self.door.limits.not_counted else counted_as(own)
        if self.door.enter(self):
            self._wait(self.door.limits.head_seconds)
        else:
            self._refuse(503, "all connections are busy: try again in a moment", "retry-after: 5\r\n")

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the connection, and whoever was to be answered on it."""
        self.door.leave(self)
        self._hang_up()
        super().connection_lost(exc)

    def _wait(self, seconds: float) -> None:
        """Wait for the client, for a while; a client that has a reply to take gains no time by anything else."""
        if not self.flow.write_paused:
            self.deadline = self.loop.time() + seconds
            self.door.wait_for(self)

    def _work(self) -> None:
        """Let nobody close the connection while its request is being answered and the reply is taken."""
        if not self.flow.write_paused:
            self.deadline = float("inf")
            self.door.waiting.pop(self, None)

    def data_received(self, data: bytes) -> None:
        """Read on, up to a limit."""
        if self._refused:
            return
        super().data_received(data)
        if self._arriving and not self._refused:
            self._bytes += len(data)
            if self._in_head and self._bytes > self.door.limits.head_bytes:
                self._refuse_head()
            elif self._bytes > MOST_SWALLOWED:
                self._break_off()  # it was refused already, or waits for its end in vain

    def on_message_begin(self) -> None:
        """Begin to count."""
        super().on_message_begin()
        self._bytes, self._in_head, self._arriving = 0, True, True
        if not self._cycles and not self._refused:
            self._wait(self.door.limits.head_seconds)

    def on_headers_complete(self) -> None:
        """Begin to answer, unless the head was too long or too many requests wait already."""
        self._in_head = False
        if self._refused:
            return
        if (
            len(self.url) + sum(len(name) + len(value) + 4 for name, value in self.headers)
            > self.door.limits.head_bytes
        ):
            self._refuse_head()
        elif len(self.pipeline) >= MOST_QUEUED:
            self._break_off()  # a sentence would be read as the reply to the first of them
        else:
            if not self.flow.write_paused:
                self.deadline = float("inf")  # the body has a time of its own
            super().on_headers_complete()
            self._cycles.add(self.cycle)

    def on_body(self, body: bytes) -> None:
        """Take a piece of a body."""
        if not self._refused:
            super().on_body(body)

    def on_message_complete(self) -> None:
        """Answer in peace: all of the request is here."""
        self._arriving = False
        if self._refused:
            return
        super().on_message_complete()
        if self._cycles:
            self._work()

    def on_response_complete(self) -> None:
        """Wait for the next request, unless it is here already."""
        self._cycles = {cycle for cycle in self._cycles if not cycle.response_complete}
        super().on_response_complete()
        if not self._cycles and not self._refused:
            self._wait(self.door.limits.rest_seconds)

    def pause_writing(self) -> None:
        """Give the client a while to take what lies ready; meanwhile it may have to make room for a newcomer."""
        self._wait(self.door.limits.take_seconds)
        super().pause_writing()

    def resume_writing(self) -> None:
        """Go on once the client has taken it."""
        super().resume_writing()
        if self._cycles:
            self._work()
        else:
            self._wait(self.door.limits.rest_seconds)

    def time_out(self) -> None:
        """Close the connection: its time has run out."""
        if self.flow.write_paused:
            self.transport.abort()
        elif self._in_head and not self._cycles and not self._refused:
            self._refuse(408, "the request took too long to arrive: send it again")
        elif self.transport.get_write_buffer_size():
            self.transport.abort()  # nobody takes it, so it would never be closed
        else:
            self.transport.close()

    def send_400_response(self, msg: str) -> None:
        """Turn away what cannot be read."""
        self._refuse(400, "the request is not HTTP that can be read: send it again")

    def _refuse_head(self) -> None:
        most = self.door.limits.head_bytes
        self._refuse(431, f"the head of the request is too long: send at most {most:,} bytes")

    def _refuse(self, status: int, sentence: str, more: str = "") -> None:
        """Close the connection with a sentence, in the form of all refusals.

        Where another request has no whole reply yet there is no sentence: it would be read as the reply to that one.
        """
        if self._refused:
            return
        body = json.dumps({"error": sentence}).encode()
        head = f"content-type: application/json\r\ncontent-length: {len(body)}\r\n{more}connection: close\r\n\r\n"
        if not self._cycles and not self.transport.is_closing():
            self.transport.write(STATUS_LINE[status] + head.encode() + body)
        self._break_off()

    def _break_off(self) -> None:
        """Close the connection without a word, and read no more of it."""
        self._refused = True
        self._hang_up()
        self._wait(self.door.limits.take_seconds)
        self.transport.close()


def connection_class(door: Door) -> type[Connection]:
    """Return the class of the connections that come in by a door."""
    return type("Connection", (Connection,), {"door": door})
