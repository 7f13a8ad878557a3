"""Which addresses of the chain a validator may call.

Anyone can publish any address; a validator that posted to all of them would be a port scanner of its own network.
Only global unicast addresses are called. Private ones (a subnet on one machine or in one data centre) are an
option, but what is nobody's own address, and link-local ones, where clouds keep their secrets, never are.
"""

from enum import StrEnum
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address
from typing import Final

__all__ = ["AddressFault", "address_fault", "url_host"]

# RFC 4291: global unicast is allotted from here only; the rest is reserved, or handled by name below.
_ALLOTTED_V6: Final = IPv6Network("2000::/3")
# IPv6 addresses that carry an IPv4 address (or lead to one) and so would slip past its rules; IANA's registry of
# special-purpose addresses: compatible, mapped, translated (RFC 2765, RFC 6052, RFC 8215), Teredo, 6to4.
_EMBEDDING_V6: Final = tuple(
    IPv6Network(n)
    for n in (
        "::/96",
        "::ffff:0:0/96",
        "::ffff:0:0:0/96",
        "64:ff9b::/96",
        "64:ff9b:1::/48",
        "2001::/32",
        "2002::/16",
    )
)
# Special blocks inside 2000::/3 that older Pythons take for global: protocol assignments and documentation.
_SPECIAL_V6: Final = tuple(IPv6Network(n) for n in ("2001::/23", "2001:db8::/32", "3fff::/20"))
_UNIQUE_LOCAL_V6: Final = IPv6Network("fc00::/7")


class AddressFault(StrEnum):
    """Why an address is not called."""

    NOT_AN_ADDRESS = "not an IP address"
    PORT = "the port is not between 1 and 65535"
    UNSPECIFIED = "the unspecified address"
    MULTICAST = "a multicast or broadcast address"
    LINK_LOCAL = "a link-local address"
    RESERVED = "a reserved address"
    EMBEDDED = "an IPv6 address that stands for an IPv4 address"
    PRIVATE = "not a global address, and private ones are not allowed here"


def address_fault(ip: str, port: int, *, allow_private: bool = False) -> AddressFault | None:
    """Return why ``ip`` and ``port`` must not be called, or None where they may.

    Args:
        ip: an IPv4 or IPv6 address in its usual spelling, no brackets; anything else is a fault, never an error.
        port: of TCP.
        allow_private: whether loopback, RFC 1918, shared (RFC 6598) and unique local addresses will do.
    """
    if not 1 <= port <= 65535:
        return AddressFault.PORT
    try:
        address = ip_address(ip)
    except ValueError:
        return AddressFault.NOT_AN_ADDRESS
    if isinstance(address, IPv4Address):
        return _v4_fault(address, allow_private)
    return _v6_fault(address, allow_private)


def _v4_fault(address: IPv4Address, allow_private: bool) -> AddressFault | None:
    if address.is_unspecified:
        return AddressFault.UNSPECIFIED
    if address.is_link_local:
        return AddressFault.LINK_LOCAL
    if address.is_multicast or address == IPv4Address("255.255.255.255"):
        return AddressFault.MULTICAST
    if address.is_reserved or address.packed[0] == 0:  # 0.0.0.0/8 reaches the own machine on Linux
        return AddressFault.RESERVED
    return None if address.is_global or allow_private else AddressFault.PRIVATE


def _v6_fault(address: IPv6Address, allow_private: bool) -> AddressFault | None:
    if address.scope_id is not None:
        return AddressFault.NOT_AN_ADDRESS  # an interface of one machine's own
    if address.is_unspecified:
        return AddressFault.UNSPECIFIED
    if address.is_multicast:
        return AddressFault.MULTICAST
    if address.is_loopback or address in _UNIQUE_LOCAL_V6:
        return None if allow_private else AddressFault.PRIVATE
    # Before link-local: newer Pythons judge a mapped address by the IPv4 address in it.
    if any(address in network for network in _EMBEDDING_V6):
        return AddressFault.EMBEDDED
    if address.is_link_local:
        return AddressFault.LINK_LOCAL
    if address not in _ALLOTTED_V6 or any(address in network for network in _SPECIAL_V6):
        return AddressFault.RESERVED
    return None


def url_host(ip: str, port: int) -> str:
    """Return ``ip`` and ``port`` as they stand in a URL.

    Raises:
        ValueError: ``ip`` is not an address.
    """
    address = ip_address(ip)
    return f"[{address.compressed}]:{port}" if isinstance(address, IPv6Address) else f"{address}:{port}"
