"""Who asks: the browser by its token, and where it is."""

from __future__ import annotations

import ipaddress
from typing import NamedTuple

from oracular.web.settings import Settings

NETWORK = 64
"""How many bits of an address of version 6 say whose it is: the rest one household may choose as it likes."""


class Visitor(NamedTuple):
    """Somebody who asks something.

    Attributes:
        token: what the browser's cookie says; anybody may write anything into it.
        address: where the browser is; None where that is not known.
    """

    token: str | None
    address: str | None


HOUSE = Visitor(None, None)
"""The server itself."""


def visitor_of(client: tuple[str, int] | None, token: str | None, settings: Settings) -> Visitor:
    """Return who asks.

    Args:
        client: where the request comes from; of a known proxy, where it says that it comes from.
        token: the token of the browser.
        settings: how the server is set up.
    """
    if client is None or not settings.tells_addresses:
        return Visitor(token, None)
    return Visitor(token, counted_as(client[0]))


def plain(address: str) -> str:
    """Return an address as it is always written; one of version 4 in the clothes of version 6 is of version 4."""
    try:
        read = ipaddress.ip_address(address)
    except ValueError:
        return address
    mapped = read.ipv4_mapped if isinstance(read, ipaddress.IPv6Address) else None
    return str(read if mapped is None else mapped)


def counted_as(address: str) -> str:
    """Return what an address is counted as: one of version 6 as the network that it is in, any other as itself."""
    address = plain(address)
    try:
        return str(ipaddress.ip_network((int(ipaddress.IPv6Address(address)), NETWORK), strict=False))
    except ValueError:
        return address
