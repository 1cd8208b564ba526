"""Network namespaces as hosts on one switch, whose cables a test can cut, delay or make lossy.

The kernel of a sandbox often has no netem, so the switch is a thread of this process: every host has a TUN device, and
the switch passes packets between them after a delay, or drops them.
"""

import fcntl
import heapq
import os
import selectors
import shutil
import struct
import subprocess
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import IO, Final

from service.launch.lifeline import start

PREFIX: Final = "10.231"
"""Addresses of the test hosts begin so. They exist in namespaces that the test makes itself."""

MAX_NETWORKS: Final = 200

DRIVER: Final = "driver"
"""The host that stands for this machine itself, from where callers come."""

MTU: Final = 16_000
TICK_SECONDS: Final = 0.0005
MAX_PACKETS: Final = 64
"""Packets that the switch takes from one host before it looks after the others."""

_TUNSETIFF: Final = 0x400454CA
_IFF_TUN: Final = 0x0001
_IFF_NO_PI: Final = 0x1000


def missing() -> str:
    """Return the reason why there can be no hosts here, or an empty string."""
    if os.geteuid() != 0:
        return "network namespaces need root"
    if shutil.which("ip") is None:
        return "iproute2 is not installed"
    if not Path("/dev/net/tun").exists():
        return "the kernel has no TUN devices"
    return ""


@dataclass
class Cable:
    """The way from one host to the switch: seconds of delay, share of packets lost, and whether it is cut."""

    delay: float = 0.0
    loss: float = 0.0
    is_cut: bool = False


@dataclass(order=True)
class _Packet:
    due: float
    number: int
    target: int = field(compare=False)
    data: bytes = field(compare=False)


class Network:
    """Hosts by name, each a namespace with an address of its own, and the switch between them."""

    def __init__(self, names: Sequence[str], seed: int = 0) -> None:
        self._tag = f"dp{os.getpid() % 100_000}"
        self._choice = Random(seed)
        self._claim, third = _claimed()
        self.addresses = {name: f"{PREFIX}.{third}.{number + 1}" for number, name in enumerate((DRIVER, *names))}
        self.cables = {name: Cable() for name in self.addresses}
        self._files: dict[str, int] = {}
        for name, address in self.addresses.items():
            self._add(name, address)
        self._names = {file: name for name, file in self._files.items()}
        self._targets = {_packed(address): self._files[name] for name, address in self.addresses.items()}
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._switch, daemon=True)
        self._thread.start()

    def run(
        self, name: str, command: Sequence[str], environment: Mapping[str, str], log: Path
    ) -> subprocess.Popen[bytes]:
        return start(
            ["ip", "netns", "exec", self._namespace(name), *command], env=environment, output=log, cwd=Path.cwd()
        )

    def processes(self, name: str) -> list[int]:
        """Return the ids of all processes of a host."""
        found = subprocess.run(["ip", "netns", "pids", self._namespace(name)], check=True, capture_output=True)
        return [int(pid) for pid in found.stdout.split()]

    def close(self) -> None:
        self._over.set()
        self._thread.join()
        for file in self._files.values():
            os.close(file)
        for name in self.addresses:
            if name != DRIVER:
                subprocess.run(["ip", "netns", "del", self._namespace(name)], check=False, capture_output=True)
        self._claim.close()

    def _namespace(self, name: str) -> str:
        return f"{self._tag}-{name}"

    def _add(self, name: str, address: str) -> None:
        device = f"{self._tag}{name[:5]}"
        file = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK | os.O_CLOEXEC)
        fcntl.ioctl(file, _TUNSETIFF, struct.pack("16sH", device.encode(), _IFF_TUN | _IFF_NO_PI))
        self._files[name] = file
        inside: list[str] = []
        if name != DRIVER:
            _ip("netns", "add", self._namespace(name))
            _ip("link", "set", device, "netns", self._namespace(name))
            inside = ["-n", self._namespace(name)]
            _ip(*inside, "link", "set", "lo", "up")
        _ip(*inside, "addr", "add", f"{address}/24", "dev", device)
        _ip(*inside, "link", "set", device, "mtu", str(MTU), "up")

    def _switch(self) -> None:
        waiting: list[_Packet] = []
        number = 0
        with selectors.DefaultSelector() as selector:
            for file in self._files.values():
                selector.register(file, selectors.EVENT_READ)
            while not self._over.is_set():
                patience = 0.1 if not waiting else max(0.0, min(0.1, waiting[0].due - time.monotonic()))
                for key, _ in selector.select(patience):
                    for data in _packets(key.fd):
                        number += 1
                        packet = self._routed(key.fd, data, number)
                        if packet is not None:
                            heapq.heappush(waiting, packet)
                now = time.monotonic() + TICK_SECONDS
                while waiting and waiting[0].due <= now:
                    packet = heapq.heappop(waiting)
                    with suppress(OSError):  # a full queue loses packets, as every network does
                        os.write(packet.target, packet.data)

    def _routed(self, source: int, data: bytes, number: int) -> _Packet | None:
        target = self._targets.get(data[16:20]) if data[0] >> 4 == 4 else None
        if target is None:
            return None
        ways = (self.cables[self._names[source]], self.cables[self._names[target]])
        if any(way.is_cut or (way.loss and self._choice.random() < way.loss) for way in ways):
            return None
        return _Packet(time.monotonic() + sum(way.delay for way in ways), number, target, data)


def _claimed() -> tuple[IO[str], int]:
    # The lock keeps other processes from the network of this number.
    for number in range(1, MAX_NETWORKS):
        file = (Path(tempfile.gettempdir()) / f"dorfplatz-network-{number}.lock").open("w")
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            file.close()
        else:
            return file, number
    raise RuntimeError("every network is in use")


def _packets(file: int) -> Iterator[bytes]:
    with suppress(BlockingIOError):
        for _ in range(MAX_PACKETS):
            yield os.read(file, 65_536)


def _packed(address: str) -> bytes:
    return bytes(int(part) for part in address.split("."))


def _ip(*arguments: str) -> None:
    subprocess.run(["ip", *arguments], check=True, capture_output=True)
