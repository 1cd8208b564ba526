"""No message reaches an address that is not public, however it is written, resolved or redirected to."""

import ipaddress
from collections.abc import Iterable

import anyio
import httpcore
import pytest

from service.webhooks.guard import Guard, NotPublic, resolved
from service.webhooks.target import is_public, target

PRIVATE = """
0.0.0.0 0.1.2.3 10.0.0.1 10.255.255.255 100.64.0.1 100.127.255.255 127.0.0.1 127.255.255.254 169.254.169.254
172.16.0.1 172.31.255.255 192.0.0.1 192.0.0.8 192.0.0.170 192.0.2.1 192.88.99.1 192.168.0.1 198.18.0.1 198.19.255.255
198.51.100.1 203.0.113.1 224.0.0.1 239.255.255.255 240.0.0.1 255.255.255.255
:: ::1 ::127.0.0.1 ::ffff:127.0.0.1 ::ffff:8.8.8.8 ::ffff:0:127.0.0.1 64:ff9b::7f00:1 64:ff9b::8.8.8.8 64:ff9b:1::1
100::1 100:0:0:1::1 2001::1 2001:0:7f00:1:: 2001:2::1 2001:10::1 2001:20::1 2001:db8::1 2002:7f00:1:: 2002:a00:1::1
2002:808:808::1 3fff::1 5f00::1 fc00::1 fd00:ec2::254 fe80::1 fec0::1 ff02::1 ff0e::1 4000::1 e000::1
""".split()  # noqa: SIM905 -- words read best as words

PUBLIC = """
1.1.1.1 8.8.8.8 93.184.216.34 172.15.255.255 172.32.0.1 2606:4700::1111 2001:4860:4860::8888 2a00:1450::1
""".split()  # noqa: SIM905 -- words read best as words

LOOPBACK = """
127.0.0.1 127.1 127.0.1 2130706433 0x7f000001 0x7f.1 0x7f.0.0.1 0177.0.0.1 017700000001 0 0.0.0.0 0x0 127.0.0.1.
localhost ::1 0:0:0:0:0:0:0:1 ::ffff:127.0.0.1 ::ffff:7f00:1 LOCALHOST
""".split()  # noqa: SIM905 -- words read best as words
"""Ways to write this machine that a resolver understands."""


@pytest.mark.parametrize("text", PRIVATE)
def test_an_address_that_is_not_plainly_public_is_refused(text: str) -> None:
    assert not is_public(ipaddress.ip_address(text))
    assert target(f"https://{f'[{text}]' if ':' in text else text}/") is None


@pytest.mark.parametrize("text", PUBLIC)
def test_a_public_address_is_taken(text: str) -> None:
    assert is_public(ipaddress.ip_address(text))
    assert target(f"https://{f'[{text}]' if ':' in text else text}/") is not None


@pytest.mark.parametrize("host", LOOPBACK)
def test_no_way_to_write_this_machine_is_connected_to(host: str) -> None:
    with pytest.raises(NotPublic):
        anyio.run(Guard().connect_tcp, host, 443)


def test_the_spellings_do_mean_this_machine_to_the_resolver() -> None:
    understood = {host: [ipaddress.ip_address(text) for text in resolved(host, 443)] for host in LOOPBACK}
    meant = [host for host, found in understood.items() if found]
    assert {"2130706433", "0x7f.1", "0177.0.0.1", "localhost", "::1"} <= set(meant)


class Rebinding:
    """A resolver that answers with a public address first, and with this machine from then on."""

    def __init__(self) -> None:
        self.asked = 0

    def __call__(self, host: str, port: int) -> Iterable[str]:
        self.asked += 1
        return ["192.0.2.1" if self.asked == 1 else "127.0.0.1"]


def test_a_name_is_resolved_once_and_what_was_checked_is_connected_to(monkeypatch: pytest.MonkeyPatch) -> None:
    connected: list[str] = []

    async def connect(remote_host: str, **_: object) -> None:
        connected.append(remote_host)
        raise OSError

    monkeypatch.setattr(anyio, "connect_tcp", connect)
    monkeypatch.setattr("service.webhooks.guard.is_public", lambda address: str(address) == "192.0.2.1")
    rebinding = Rebinding()
    with pytest.raises(httpcore.ConnectError):
        anyio.run(Guard(rebinding).connect_tcp, "rebinds.example", 443)
    assert (connected, rebinding.asked) == (["192.0.2.1"], 1)
    with pytest.raises(NotPublic):
        anyio.run(Guard(rebinding).connect_tcp, "rebinds.example", 443)
    assert connected == ["192.0.2.1"]


@pytest.mark.parametrize(
    "found", [[], ["10.0.0.1"], ["8.8.8.8", "10.0.0.1"], ["fe80::1%eth0"], ["8.8.8.8", "::ffff:10.0.0.1"]]
)
def test_a_name_with_one_address_that_is_not_public_is_refused_whatever_else_it_has(found: list[str]) -> None:
    with pytest.raises(NotPublic):
        anyio.run(Guard(lambda *_: found).connect_tcp, "mixed.example", 443)


ADDRESSES = ("8.8.8.8", "1.1.1.1", "2606:4700::1111")


@pytest.mark.parametrize("error", [httpcore.ConnectError, httpcore.ConnectTimeout])
@pytest.mark.parametrize("tried", [1, 2, 3, 4])
def test_addresses_are_tried_in_order_until_one_accepts(
    monkeypatch: pytest.MonkeyPatch, tried: int, error: type[Exception]
) -> None:
    connected: list[tuple[object, ...]] = []
    stream = httpcore.AsyncMockStream([])

    async def connect(_: object, *arguments: object) -> httpcore.AsyncNetworkStream:
        connected.append(arguments)
        if len(connected) < tried:
            raise error
        return stream

    monkeypatch.setattr(httpcore.AnyIOBackend, "connect_tcp", connect)
    guard = Guard(lambda *_: ADDRESSES)
    if tried > len(ADDRESSES):
        with pytest.raises(error):
            anyio.run(guard.connect_tcp, "three.example", 443, 2.5)
    else:
        assert anyio.run(guard.connect_tcp, "three.example", 443, 2.5) is stream
    assert connected == [(address, 443, 2.5, None, None) for address in ADDRESSES[:tried]]


def test_no_socket_of_this_machine_is_connected_to() -> None:
    with pytest.raises(NotPublic):
        anyio.run(Guard().connect_unix_socket, "/run/docker.sock")


@pytest.mark.parametrize(
    "url",
    [
        "http://hooks.example/",
        "HTTP://hooks.example/",
        "ftp://hooks.example/",
        "file:///etc/passwd",
        "gopher://hooks.example/",
        "wss://hooks.example/",
        "//hooks.example/",
        "hooks.example",
        "https://",
        "https:///path",
        "https://user@hooks.example/",
        "https://user:word@hooks.example/",
        "https://hooks.example@127.0.0.1/",
        "https://hooks.example:0/",
        "https://hooks.example:65536/",
        "https://hooks.example:port/",
        "https://hooks.example/#part",
        "https://hooks.example\\@127.0.0.1/",
        "https://hooks.example/ spaced",
        "https://hooks.example/\r\nHost: other",
        "https://hooks.example/\x00",
        "https://hööks.example/",
        "https://[::1/",
        "https://[fe80::1%25eth0]/",
        "https://a." + "b" * 2100,
    ],
)
def test_unusual_addresses_are_refused(url: str) -> None:
    assert target(url) is None


def test_an_address_has_at_most_2048_characters() -> None:
    longest = "https://hooks.example/".ljust(2_048, "a")
    assert target(longest) is not None
    assert target(f"{longest}a") is None
    assert target("") is None


def test_closed_networks_may_use_http_and_private_addresses() -> None:
    found = target("http://10.0.0.1:80/a", private=True)
    assert found is not None
    assert (found.scheme, found.host, found.port, found.path) == ("http", "10.0.0.1", 80, "/a")
    assert target("https://10.0.0.1/", private=True) is not None
    assert target("ftp://10.0.0.1/", private=True) is None
    assert target("http://8.8.8.8/") is None


def test_an_https_address_is_taken_apart_once() -> None:
    found = target("https://Hooks.example:8443/a/b?c=d")
    assert found is not None
    assert (found.host, found.port, found.path, found.netloc) == (
        "hooks.example",
        8443,
        "/a/b?c=d",
        "Hooks.example:8443",
    )
    bare = target("https://hooks.example")
    assert bare is not None
    assert (bare.port, bare.path) == (None, "/")
