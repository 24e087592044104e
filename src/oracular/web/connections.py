"""Client connections with limits on their number, and on the bytes and seconds of each request.

A connection is uvicorn's own HTTP protocol with deadlines: for the head of a request, between requests, and for a
client to read its reply. The server holds a fixed number of connections. Where a new one finds no room, the one that
has waited for its client longest is closed. A connection does not wait for its client from the moment when a whole
request has arrived until its reply is sent, so none is closed while its request is being answered. It waits again where
so much of the reply is unread that the server cannot write on.
"""

from __future__ import annotations

import asyncio
import json
from collections import Counter, OrderedDict
from typing import Any

from starlette.types import Message, Receive, Scope, Send
from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol, RequestResponseCycle

from oracular.web.settings import Settings
from oracular.web.visitors import address_group, normal_address

MAX_REQUEST_BYTES = 1 << 20
"""The most that is read of one request, including a body that keeps coming after it was refused."""

GRACE_SECONDS = 0.1
"""How long an address may have too many connections: its latest may have sent a request that was not read yet."""

MAX_PIPELINED = 16
"""How many requests may wait behind another on one connection."""


class ConnectionRegistry:
    """All connections of a server.

    Attributes:
        proxies: addresses that may have any number of connections; as `normal_address` writes them.
        waiting: the connections that wait for their client, the longest first; the others are being answered.
    """

    def __init__(self, settings: Settings, room: int) -> None:
        self.settings = settings
        self.proxies = frozenset(map(normal_address, settings.proxies))
        self._most = min(room, settings.max_connections or room)
        share = settings.max_connections_per_address or max(8, self._most // 4)
        self._share = share if settings.knows_addresses else None
        self.waiting: OrderedDict[Connection, None] = OrderedDict()
        self._held: set[Connection] = set()
        self._by_address: Counter[str] = Counter()

    def add(self, connection: Connection) -> bool:
        """Add a connection, if need be in the place of another; return whether there was room."""
        address = connection.address
        share = None if address in self.proxies else self._share
        excess = 0 if share is None else self._by_address[address] + 1 - share
        if len(self._held) >= self._most:
            if not self._close_oldest(address if excess > 0 else None):
                return False
        elif share is not None and excess > 0:
            if excess > sum(one.address == address for one in self.waiting):
                return False
            connection.loop.call_later(GRACE_SECONDS, self._enforce_share, address, share)
        self._held.add(connection)
        self._by_address[address] += 1
        self.waiting[connection] = None
        return True

    def remove(self, connection: Connection) -> None:
        """Forget a connection that has ended."""
        self.waiting.pop(connection, None)
        if connection in self._held:
            self._held.remove(connection)
            self._by_address[connection.address] -= 1
            if not self._by_address[connection.address]:
                del self._by_address[connection.address]

    def mark_waiting(self, connection: Connection) -> None:
        """Record that a connection begins to wait for its client."""
        if connection in self._held:
            self.waiting[connection] = None
            self.waiting.move_to_end(connection)

    def close_all(self) -> None:
        """Close every connection at once, whatever is still to be sent or received."""
        for connection in list(self._held):
            connection.transport.abort()

    def close_expired(self, now: float) -> None:
        """Close every connection whose deadline has passed."""
        for connection in [one for one in self._held if one.deadline <= now]:
            connection.time_out()

    def _enforce_share(self, address: str, share: int) -> None:
        """Close connections of an address until it has no more than its share."""
        while self._by_address[address] > share and self._close_oldest(address):
            pass

    def _close_oldest(self, address: str | None) -> bool:
        """Close the connection that has waited longest, of one address or of all; return whether one waited."""
        oldest = next((one for one in self.waiting if address is None or one.address == address), None)
        if oldest is None:
            return False
        self.remove(oldest)
        oldest.transport.abort()
        return True


class Connection(HttpToolsProtocol):
    """A connection of uvicorn's that keeps to limits."""

    registry: ConnectionRegistry

    def __init__(self, *args: Any, **keywords: Any) -> None:
        super().__init__(*args, **keywords)
        self._application, self.app = self.app, self._answer
        self._settings = self.registry.settings
        self.address = ""
        self.deadline = float("inf")
        self._bytes = 0  # of the request that is arriving
        self._in_head = False
        self._arriving = False
        self._closing = False
        self._cycles: set[RequestResponseCycle] = set()  # requests whose reply is not complete

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request; nothing is logged where the client is gone or the server stops before the reply is sent."""

        async def send_if_connected(message: Message) -> None:
            if self.transport.is_closing():
                self._disconnect_cycles()
            else:
                await send(message)

        try:
            await self._application(scope, receive, send_if_connected)
        except asyncio.CancelledError:
            self._disconnect_cycles()
            self.transport.abort()

    def _disconnect_cycles(self) -> None:
        """Let uvicorn treat the client of every unanswered request as gone."""
        for cycle in self._cycles:
            cycle.disconnected = True
            cycle.message_event.set()
        self._cycles.clear()

    def connection_made(self, transport: Any) -> None:
        """Register a new connection, or refuse it where there is no room."""
        super().connection_made(transport)
        if self.client is not None:
            self.client = normal_address(self.client[0]), self.client[1]
            own = self.client[0]
            self.address = own if own in self.registry.proxies else address_group(own)
        if self.registry.add(self):
            self._wait(self._settings.head_seconds)
        else:
            self._refuse(503, "all connections are busy: try again in a moment", "retry-after: 5\r\n")

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the connection and its requests."""
        self.registry.remove(self)
        self._disconnect_cycles()
        super().connection_lost(exc)

    def _wait(self, seconds: float) -> None:
        """Wait for the client; the deadline of a client with an unread reply is not put off."""
        if not self.flow.write_paused:
            self.deadline = self.loop.time() + seconds
            self.registry.mark_waiting(self)

    def _stop_waiting(self) -> None:
        """Lift the deadline while a request is being answered, unless the client has an unread reply."""
        if not self.flow.write_paused:
            self.deadline = float("inf")
            self.registry.waiting.pop(self, None)  # so that it is not closed for another

    def data_received(self, data: bytes) -> None:
        """Parse what has arrived, up to the limits on the head and the whole of a request."""
        if self._closing:
            return
        super().data_received(data)
        if self._arriving and not self._closing:
            self._bytes += len(data)
            if self._in_head and self._bytes > self._settings.max_head_bytes:
                self._refuse_head()
            elif self._bytes > MAX_REQUEST_BYTES:
                self._close()  # its body was refused already

    def on_message_begin(self) -> None:
        """Begin to count the bytes and the seconds of a request."""
        super().on_message_begin()
        self._bytes, self._in_head, self._arriving = 0, True, True
        if not self._cycles and not self._closing:
            self._wait(self._settings.head_seconds)

    def on_headers_complete(self) -> None:
        """Begin to answer, unless the head is too long or too many requests wait already."""
        self._in_head = False
        if self._closing:
            return
        size = len(self.url) + sum(len(name) + len(value) + 4 for name, value in self.headers)
        if size > self._settings.max_head_bytes:
            self._refuse_head()
        elif len(self.pipeline) >= MAX_PIPELINED:
            self._close()  # a message would be read as the reply to the first of them
        else:
            if not self.flow.write_paused:
                self.deadline = float("inf")  # the guard has a deadline for the body
            super().on_headers_complete()
            self._cycles.add(self.cycle)

    def on_body(self, body: bytes) -> None:
        """Pass on a piece of a body."""
        if not self._closing:
            super().on_body(body)

    def on_message_complete(self) -> None:
        """Stop waiting for the client: the whole request is here."""
        self._arriving = False
        if self._closing:
            return
        super().on_message_complete()
        if self._cycles:
            self._stop_waiting()

    def on_response_complete(self) -> None:
        """Wait for the next request, unless it is here already."""
        self._cycles = {cycle for cycle in self._cycles if not cycle.response_complete}
        super().on_response_complete()
        if not self._cycles and not self._closing:
            self._wait(self._settings.keep_alive_seconds)

    def pause_writing(self) -> None:
        """Wait for the client to read its reply; meanwhile the connection may be closed for a new one."""
        self._wait(self._settings.write_seconds)
        super().pause_writing()

    def resume_writing(self) -> None:
        """Go on after the client has read its reply."""
        super().resume_writing()
        if self._cycles:
            self._stop_waiting()
        else:
            self._wait(self._settings.keep_alive_seconds)

    def time_out(self) -> None:
        """Close the connection, since its deadline has passed."""
        if self.flow.write_paused:
            self.transport.abort()
        elif self._in_head and not self._cycles and not self._closing:
            self._refuse(408, "the request took too long to arrive: send it again")
        elif self.transport.get_write_buffer_size():
            self.transport.abort()  # `close` would wait for ever for the client to read
        else:
            self.transport.close()

    def send_400_response(self, msg: str) -> None:
        """Refuse what is not HTTP."""
        self._refuse(400, "the request is not valid HTTP: send it again")

    def _refuse_head(self) -> None:
        self._refuse(431, f"the head of the request is too long: send at most {self._settings.max_head_bytes:,} bytes")

    def _refuse(self, status: int, message: str, headers: str = "") -> None:
        """Close the connection with an error in the usual form.

        The error is not sent where another request has no complete reply yet: it would be read as the reply to that.
        """
        if self._closing:
            return
        body = json.dumps({"error": message}).encode()
        head = f"content-type: application/json\r\ncontent-length: {len(body)}\r\n{headers}connection: close\r\n\r\n"
        if not self._cycles and not self.transport.is_closing():
            self.transport.write(STATUS_LINE[status] + head.encode() + body)
        self._close()

    def _close(self) -> None:
        """Close the connection once the client has read what was sent, and read no more from it."""
        self._closing = True
        self._disconnect_cycles()
        self._wait(self._settings.write_seconds)
        self.transport.close()


def connection_class(registry: ConnectionRegistry) -> type[Connection]:
    """Return a class of connections that register themselves there."""
    return type("Connection", (Connection,), {"registry": registry})
