import pytest
from hypothesis import given
from hypothesis import strategies as st

from compression_subnet.transport.addresses import AddressFault, address_fault, url_host

F = AddressFault

# address, fault, fault where private addresses are allowed
TABLE = [
    ("8.8.8.8", None, None),
    ("2a00:1450:4001:80b::200e", None, None),
    ("2606:4700:4700::1111", None, None),
    ("127.0.0.1", F.PRIVATE, None),
    ("127.8.8.8", F.PRIVATE, None),
    ("10.0.0.1", F.PRIVATE, None),
    ("172.16.0.1", F.PRIVATE, None),
    ("172.32.0.1", None, None),
    ("192.168.1.1", F.PRIVATE, None),
    ("100.64.0.1", F.PRIVATE, None),
    ("192.0.2.1", F.PRIVATE, None),
    ("198.18.0.1", F.PRIVATE, None),
    ("::1", F.PRIVATE, None),
    ("fd00::1", F.PRIVATE, None),
    ("0.0.0.0", F.UNSPECIFIED, F.UNSPECIFIED),
    ("0.1.2.3", F.RESERVED, F.RESERVED),
    ("::", F.UNSPECIFIED, F.UNSPECIFIED),
    ("169.254.169.254", F.LINK_LOCAL, F.LINK_LOCAL),
    ("169.254.1.1", F.LINK_LOCAL, F.LINK_LOCAL),
    ("fe80::1", F.LINK_LOCAL, F.LINK_LOCAL),
    ("fe80::1%eth0", F.NOT_AN_ADDRESS, F.NOT_AN_ADDRESS),
    ("::1%lo", F.NOT_AN_ADDRESS, F.NOT_AN_ADDRESS),
    ("224.0.0.1", F.MULTICAST, F.MULTICAST),
    ("255.255.255.255", F.MULTICAST, F.MULTICAST),
    ("ff02::1", F.MULTICAST, F.MULTICAST),
    ("240.0.0.1", F.RESERVED, F.RESERVED),
    ("fec0::1", F.RESERVED, F.RESERVED),
    ("100::1", F.RESERVED, F.RESERVED),
    ("4000::1", F.RESERVED, F.RESERVED),
    ("2001:db8::1", F.RESERVED, F.RESERVED),
    ("3fff::1", F.RESERVED, F.RESERVED),
    ("::ffff:127.0.0.1", F.EMBEDDED, F.EMBEDDED),
    ("::ffff:169.254.169.254", F.EMBEDDED, F.EMBEDDED),
    ("::ffff:8.8.8.8", F.EMBEDDED, F.EMBEDDED),
    ("::ffff:a9fe:a9fe", F.EMBEDDED, F.EMBEDDED),
    ("::7f00:1", F.EMBEDDED, F.EMBEDDED),
    ("64:ff9b::a9fe:a9fe", F.EMBEDDED, F.EMBEDDED),
    ("2002:7f00:1::", F.EMBEDDED, F.EMBEDDED),
    ("2001:0:7f00:1::", F.EMBEDDED, F.EMBEDDED),
    ("localhost", F.NOT_AN_ADDRESS, F.NOT_AN_ADDRESS),
    ("", F.NOT_AN_ADDRESS, F.NOT_AN_ADDRESS),
    ("8.8.8.8:80", F.NOT_AN_ADDRESS, F.NOT_AN_ADDRESS),
    ("8.8.8.8@10.0.0.1", F.NOT_AN_ADDRESS, F.NOT_AN_ADDRESS),
    ("8.8.8.8/../", F.NOT_AN_ADDRESS, F.NOT_AN_ADDRESS),
    ("0x7f.0.0.1", F.NOT_AN_ADDRESS, F.NOT_AN_ADDRESS),
    ("127.1", F.NOT_AN_ADDRESS, F.NOT_AN_ADDRESS),
    ("2130706433", F.NOT_AN_ADDRESS, F.NOT_AN_ADDRESS),
    ("0177.0.0.1", F.NOT_AN_ADDRESS, F.NOT_AN_ADDRESS),
    ("[::1]", F.NOT_AN_ADDRESS, F.NOT_AN_ADDRESS),
    ("8.8.8.8\r\nHost: x", F.NOT_AN_ADDRESS, F.NOT_AN_ADDRESS),
    ("١٢٧.0.0.1", F.NOT_AN_ADDRESS, F.NOT_AN_ADDRESS),
]


@pytest.mark.parametrize("ip, public, private", TABLE)
def test_only_global_addresses_are_called_and_private_ones_on_request(ip, public, private):
    assert address_fault(ip, 8091) == public
    assert address_fault(ip, 8091, allow_private=True) == private


@pytest.mark.parametrize("port, fault", [(0, F.PORT), (-1, F.PORT), (65536, F.PORT), (1, None), (65535, None)])
def test_a_port_must_be_one_of_tcp(port, fault):
    assert address_fault("8.8.8.8", port) == fault


@given(st.ip_addresses(v=6))
def test_whatever_passes_as_public_is_global_unicast(address):
    if address_fault(str(address), 1) is None:
        assert address.is_global and not address.is_multicast
        assert address.ipv4_mapped is None and address.sixtofour is None and address.teredo is None


@given(st.ip_addresses(v=4))
def test_an_ipv4_address_passes_exactly_if_it_is_global_unicast(address):
    passes = address_fault(str(address), 1) is None
    assert passes == (address.is_global and not address.is_multicast and not address.is_reserved)


def test_an_address_is_bracketed_in_a_url_where_it_must_be():
    assert url_host("8.8.8.8", 80) == "8.8.8.8:80"
    assert url_host("2A00:0::1", 80) == "[2a00::1]:80"
