"""A server that messages are sent to, and that answers as a test wants."""

import datetime as dt
import socket
import ssl
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

OK = b"HTTP/1.1 204 No Content\r\n\r\n"


@dataclass
class Receiver:
    """Received messages, and the responses: bytes, one after the other with a pause between."""

    port: int
    answer: list[bytes] = field(default_factory=lambda: [OK])
    pause: float = 0.0
    heard: list[bytes] = field(default_factory=list)
    host: str = "127.0.0.1"

    @property
    def url(self) -> str:
        return f"http://{self.host}:{self.port}/told?by=us"

    def headers(self, number: int = -1) -> dict[str, str]:
        head = self.heard[number].partition(b"\r\n\r\n")[0].decode().splitlines()[1:]
        return {name.lower(): text for name, _, text in (line.partition(": ") for line in head)}

    def body(self, number: int = -1) -> bytes:
        return self.heard[number].partition(b"\r\n\r\n")[2]


@contextmanager
def receiver(context: ssl.SSLContext | None = None, host: str = "127.0.0.1") -> Iterator[Receiver]:
    """Run a server on loopback or at another address, with TLS where a context is given."""
    with socket.create_server((host, 0)) as listening:
        made = Receiver(listening.getsockname()[1], host=host)

        def serve() -> None:
            with suppress(OSError):
                while True:
                    line, _ = listening.accept()
                    threading.Thread(target=_answer, args=(made, line, context), daemon=True).start()

        threading.Thread(target=serve, daemon=True).start()
        yield made
        listening.shutdown(socket.SHUT_RDWR)


def _answer(made: Receiver, plain: socket.socket, context: ssl.SSLContext | None) -> None:
    with suppress(OSError), plain:
        plain.settimeout(5)
        with context.wrap_socket(plain, server_side=True) if context else plain as line:
            heard = b""
            while not _whole(heard):
                part = line.recv(65_536)
                if not part:
                    return  # the sender died over it: no server would take half a request for one
                heard += part
            made.heard.append(heard)
            for answer in made.answer:
                line.sendall(answer)
                time.sleep(made.pause)


def _whole(heard: bytes) -> bool:
    head, end, body = heard.partition(b"\r\n\r\n")
    length = next(
        (int(line.split()[1]) for line in head.lower().splitlines() if line.startswith(b"content-length:")), 0
    )
    return bool(end) and len(body) >= length


def certificate(folder: Path, name: str) -> Path:
    """Write a certificate of a name, signed by itself, with its key into a file."""
    key = ec.generate_private_key(ec.SECP256R1())
    subject, now = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)]), dt.datetime.now(dt.UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(subject)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - dt.timedelta(days=1))
        .not_valid_after(now + dt.timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(name)]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    clear = serialization.NoEncryption()
    form = serialization.PrivateFormat.PKCS8
    file = folder / f"{name}.pem"
    pem = serialization.Encoding.PEM
    file.write_bytes(key.private_bytes(pem, form, clear) + made.public_bytes(pem))
    return file
