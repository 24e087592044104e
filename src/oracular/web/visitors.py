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
    try:
        address = ipaddress.ip_address(client[0])
    except ValueError:
        return Visitor(token, client[0])
    if isinstance(address, ipaddress.IPv6Address):
        if address.ipv4_mapped is not None:
            return Visitor(token, str(address.ipv4_mapped))
        return Visitor(token, str(ipaddress.ip_network((int(address), NETWORK), strict=False)))
    return Visitor(token, str(address))
