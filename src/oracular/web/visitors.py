"""Who sends a request: a browser, by the token in its cookie, and its address."""

from __future__ import annotations

import ipaddress
from typing import NamedTuple

from oracular.web.settings import Settings

NETWORK_BITS = 64
"""How many leading bits of an IPv6 address name a household's network; the household chooses the rest freely."""


class Visitor(NamedTuple):
    """The sender of a request.

    Attributes:
        token: the token in the browser's cookie; nothing proves that the server made it.
        address: the address of the browser, as `address_group` gives it; None where it is not known.
    """

    token: str | None
    address: str | None


SERVER = Visitor(None, None)
"""The server itself, for work that nobody asked for."""


def visitor_of(client: tuple[str, int] | None, token: str | None, settings: Settings) -> Visitor:
    """Return the sender of a request."""
    if client is None or not settings.knows_addresses:
        return Visitor(token, None)
    return Visitor(token, address_group(client[0]))


def normal_address(address: str) -> str:
    """Return an IP address in its usual form; an IPv4 address that is mapped into IPv6 becomes the IPv4 address."""
    try:
        read = ipaddress.ip_address(address)
    except ValueError:
        return address
    mapped = read.ipv4_mapped if isinstance(read, ipaddress.IPv6Address) else None
    return str(read if mapped is None else mapped)


def address_group(address: str) -> str:
    """Return what limits per address count an address as: an IPv6 address as its network, any other as itself."""
    address = normal_address(address)
    try:
        return str(ipaddress.ip_network((int(ipaddress.IPv6Address(address)), NETWORK_BITS), strict=False))
    except ValueError:
        return address
