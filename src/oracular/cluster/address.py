"""Addresses of clusters: their form, who else can use a cluster there, and whether it can be reached."""

from __future__ import annotations

import ipaddress
import re
import socket
import ssl
from typing import TYPE_CHECKING

from oracular.errors import ClusterError, SettingsError
from oracular.system.files import quoted

if TYPE_CHECKING:
    from distributed import Security

LOCAL = "local"
ADDRESS = re.compile(r"(tcp|tls)://(\[[0-9a-fA-F:]+\]|[^\s:/\[\]]+):([0-9]{1,5})")
SECONDS_TO_CONNECT = 5.0
"""How long a connection may take: the system accepts it, however busy the scheduler is."""

SECONDS_TO_SHAKE_HANDS = 30.0
"""How long the TLS handshake may take: the scheduler may still be starting, on a busy machine."""

MOST_LETTERS = 200
"""At most this many letters of an error's text from another process are shown."""


def check_address(address: str, workers: int | None = None) -> None:
    """Raise an error unless this is the address of a cluster, and so many workers can be asked for there."""
    if workers is not None and workers < 1:
        raise SettingsError(f"{workers} workers asked for: give 1 or more")
    if address == LOCAL:
        return
    found = ADDRESS.fullmatch(address)
    if found is None or not 0 < int(found[3]) <= 0xFFFF:
        raise ClusterError(
            f"{quoted(address)} is not a cluster: give 'local', or an address like tls://host:8786 or tcp://host:8786"
        )
    if workers is not None:
        raise SettingsError("workers are counted for a local cluster alone: leave out the workers, or the address")


def exposure(address: str) -> str | None:
    """Return a warning about who else can use the cluster at an address, or None if it has keys or is local."""
    found = ADDRESS.fullmatch(address)
    if found is None or found[1] == "tls":
        return None
    host = found[2].strip("[]")
    try:
        here = ipaddress.ip_address(host).is_loopback
    except ValueError:
        here = host.lower() == "localhost"
    if here:
        return None
    return f"{address} asks for no keys: whoever reaches that scheduler can run code as you, here and on its workers"


def reach(address: str) -> Security:
    """Return the security settings for the scheduler at an address, or raise an error if it cannot be reached."""
    from distributed import Security

    parts = ADDRESS.fullmatch(address)
    assert parts is not None  # it was checked
    try:
        security = Security()
    except (ImportError, ValueError, TypeError) as error:
        raise ClusterError(f"Dask's configuration of TLS is wrong ({error_text(error)}): correct it") from None
    if parts[1] == "tcp" and security.require_encryption:
        raise ClusterError(f"{quoted(address)} asks for no keys and Dask's configuration insists on them: give tls://…")
    context = _tls_context(address, security) if parts[1] == "tls" else None
    try:
        plain = socket.create_connection((parts[2].strip("[]"), int(parts[3])), timeout=SECONDS_TO_CONNECT)
    except (OSError, UnicodeError):
        raise unreachable(address) from None
    with plain:
        if context is not None:
            _shake_hands(address, plain, context)
    return security


def _tls_context(address: str, security: Security) -> ssl.SSLContext:
    """Return the certificates that the user's Dask configuration names, or raise an error that says what is missing."""
    remedy = (
        "name the files in Dask's configuration, distributed.comm.tls.ca-file, .client.cert and .client.key, or in "
        "DASK_DISTRIBUTED__COMM__TLS__CA_FILE and so on"
    )
    files = security.get_tls_config_for_role("client")
    if not files["ca_file"] or not files["cert"]:
        raise ClusterError(f"{quoted(address)} needs a certificate and none is configured: {remedy}")
    try:
        context: ssl.SSLContext = security.get_connection_args("client")["ssl_context"]
    except (OSError, ValueError) as error:  # `ssl.SSLError` is an OSError
        raise ClusterError(
            f"the certificates for {quoted(address)} cannot be used ({error_text(error)}): {remedy}"
        ) from None
    return context


def _shake_hands(address: str, plain: socket.socket, context: ssl.SSLContext) -> None:
    """Raise an error unless the scheduler and this process accept each other's certificates."""
    plain.settimeout(SECONDS_TO_SHAKE_HANDS)
    try:
        with context.wrap_socket(plain) as safe:
            if not safe.recv(1):  # a scheduler speaks first; one that refuses our certificate says so only now
                raise OSError("it hangs up")
    except TimeoutError:
        raise unreachable(address) from None
    except OSError as error:
        raise ClusterError(
            f"the TLS handshake with {quoted(address)} fails ({error_text(error)}): use certificates of the authority "
            "that the scheduler trusts, or tcp:// where it has none"
        ) from None


def unreachable(address: str) -> ClusterError:
    """Return the error for an address at which no scheduler answers."""
    return ClusterError(
        f"no scheduler answers at {address}: start one there with 'dask scheduler', or correct the address"
    )


def error_text(error: BaseException) -> str:
    """Return an error of another process on one line, cut short; its text may be anything, so it is made printable."""
    text = " ".join(str(error).split()).rstrip(".")
    shown = "".join(letter if letter.isprintable() else "?" for letter in text[:MOST_LETTERS])
    return f"{type(error).__name__}: {shown}" if shown else type(error).__name__
