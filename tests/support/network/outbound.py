"""
The other side of outgoing requests: names, sources of files, and a canary that
nobody may reach.
"""

import ipaddress
import socket
import ssl
import sys
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Final

import attrs
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

PUBLIC: Final = "93.184.215.14"
"""An address of the public internet; no test may get as far as to use it."""
MP4: Final = b"\x00\x00\x00\x18ftypmp42\x00\x00\x00\x00mp42isom" + b"\x00" * 200


class Names:
    """
    A resolver that knows what a test tells it, and nothing else.

    A name with several answers gives one after the other, then the last one
    for ever: what a name server under an attacker's control does.

    Attributes:
        asked: The names, as they were asked for.
        released: Set it, and names that hang are answered.
    """

    def __init__(self, **answers: Sequence[str]) -> None:
        self.asked: list[str] = []
        self.released = threading.Event()
        self._hanging: set[str] = set()
        self._answers: dict[str, list[Sequence[str]]] = {}
        for name, addresses in answers.items():
            self.set(name, addresses)

    def set(self, name: str, *answers: Sequence[str]) -> None:
        """
        Tell what a name resolves to.
        """
        self._answers[name] = list(answers)

    def hang(self, name: str, addresses: Sequence[str]) -> None:
        """
        Tell what a name resolves to, once it is released.
        """
        self.set(name, addresses)
        self._hanging.add(name)

    def __call__(self, host: str, port: int) -> Sequence[str]:
        """
        Answer like the system's resolver.
        """
        self.asked.append(host)
        if host in self._hanging:
            self.released.wait(30)
        if host not in self._answers:
            raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")
        answers = self._answers[host]
        return answers.pop(0) if len(answers) > 1 else answers[0]


@attrs.define(kw_only=True)
class Request:
    """
    What a source was asked.
    """

    method: str
    path: str
    headers: Mapping[str, str]
    body: bytes
    sni: str | None


@attrs.define(kw_only=True)
class Source:
    """
    A web server whose answers a test writes.

    Attributes:
        answers: By path, what writes the answer.
        requests: What was asked.
    """

    port: int
    answers: dict[str, Callable[[BaseHTTPRequestHandler], None]] = attrs.field(
        factory=dict
    )
    requests: list[Request] = attrs.field(factory=list)
    released: threading.Event = attrs.field(factory=threading.Event)

    def gives(
        self,
        path: str,
        body: bytes = MP4,
        *,
        status: int = 200,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        """
        Answer a path with a body and its length.
        """

        def answer(handler: BaseHTTPRequestHandler) -> None:
            handler.send_response(status)
            for name, value in {"Content-Type": "video/mp4", **(headers or {})}.items():
                handler.send_header(name, value)
            handler.send_header("Content-Length", str(len(body)))
            handler.end_headers()
            handler.wfile.write(body)

        self.answers[path] = answer

    def says(self, path: str, *parts: bytes) -> None:
        """
        Answer a path with bytes as they are, and end the connection.
        """

        def answer(handler: BaseHTTPRequestHandler) -> None:
            for part in parts:
                handler.wfile.write(part)

        self.answers[path] = answer

    def redirects(self, path: str, location: str, status: int = 302) -> None:
        """
        Send whoever asks for a path somewhere else.
        """
        self.gives(path, b"", status=status, headers={"Location": location})

    def stalls(self, path: str, *parts: bytes) -> None:
        """
        Answer a path with bytes as they are, and then with silence.
        """

        def answer(handler: BaseHTTPRequestHandler) -> None:
            for part in parts:
                handler.wfile.write(part)
            handler.wfile.flush()
            self.released.wait(60)

        self.answers[path] = answer


@contextmanager
def source_server(certificates: "Certificates | None" = None) -> Iterator[Source]:
    """
    Run a source on 127.0.0.1, with TLS if there are certificates.
    """
    asked_for: dict[object, str | None] = {}
    source: Source

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            length = int(self.headers.get("Content-Length", 0))
            source.requests.append(
                Request(
                    method=self.command,
                    path=self.path,
                    headers={k.lower(): v for k, v in self.headers.items()},
                    body=self.rfile.read(length),
                    sni=asked_for.get(self.connection),
                )
            )
            self.close_connection = True
            source.answers[self.path.partition("?")[0]](self)

        do_POST = do_GET  # noqa: N815 - as http.server wants it

        def log_message(self, *_: object) -> None:
            pass

    class Server(ThreadingHTTPServer):
        daemon_threads = True

        def get_request(self) -> tuple[Any, Any]:
            connection, address = super().get_request()
            connection.settimeout(30)
            if certificates is not None:
                connection = certificates.server_context(asked_for).wrap_socket(
                    connection, server_side=True, do_handshake_on_connect=False
                )
            return connection, address

        def handle_error(self, *_: object) -> None:
            # Clients that hang up are what is tested.
            pass

    with Server(("127.0.0.1", 0), Handler) as server:
        source = Source(port=server.server_port)
        thread = threading.Thread(target=server.serve_forever, args=(0.02,))
        thread.start()
        try:
            yield source
        finally:
            source.released.set()
            server.shutdown()
            thread.join()


@attrs.define(kw_only=True)
class Canary:
    """
    Servers on loopback that must not be reached.

    Attributes:
        reached: How many connections they took.
        port: The same one on 127.0.0.1 and ::1.
    """

    port: int
    reached: int = 0


@contextmanager
def canary_server() -> Iterator[Canary]:
    """
    Run a canary on 127.0.0.1 and ::1.
    """
    with ExitStack() as stack:
        first = stack.enter_context(socket.create_server(("127.0.0.1", 0)))
        port = first.getsockname()[1]
        second = stack.enter_context(
            socket.create_server(("::1", port), family=socket.AF_INET6)
        )
        canary = Canary(port=port)
        threads = [
            threading.Thread(target=_count, args=(server, canary))
            for server in (first, second)
        ]
        for thread in threads:
            thread.start()
        try:
            yield canary
        finally:
            for server in (first, second):
                server.shutdown(socket.SHUT_RDWR)
            for thread in threads:
                thread.join()


def _count(server: socket.socket, canary: Canary) -> None:
    while True:
        try:
            connection, _ = server.accept()
        except OSError:
            return
        canary.reached += 1
        connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Type: video/mp4\r\n\r\n" + MP4)
        connection.close()


_connects: list[object] | None = None
_is_hooked = False


def _hook(event: str, arguments: tuple[object, ...]) -> None:
    if _connects is not None and event == "socket.connect":
        address = arguments[1]
        # Databases and queues of other tests are reached by unix sockets.
        if isinstance(address, tuple):
            _connects.append(address)


@contextmanager
def watched_connects() -> Iterator[list[object]]:
    """
    Give the addresses that this process tries to connect to, as they come.
    """
    global _connects, _is_hooked  # noqa: PLW0603 - hooks cannot be removed
    if not _is_hooked:
        sys.addaudithook(_hook)
        _is_hooked = True
    _connects = []
    try:
        yield _connects
    finally:
        _connects = None


@attrs.frozen(kw_only=True)
class Certificates:
    """
    An authority of our own, and a server's certificate that it signed.
    """

    ca_file: Path
    chain_file: Path

    def server_context(self, asked_for: dict[object, str | None]) -> ssl.SSLContext:
        """
        Make the context of a server that notes the names it is asked for.
        """
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(self.chain_file)

        def note(connection: object, name: str | None, _: object) -> None:
            asked_for[connection] = name

        context.sni_callback = note
        return context


def make_certificates(folder: Path, *names: str) -> Certificates:
    """
    Make an authority, and a certificate for some names or addresses.
    """
    ca_key, key = (ec.generate_private_key(ec.SECP256R1()) for _ in range(2))
    ca_name, name = _name("hvcore test authority"), _name("hvcore test")
    ca = _certificate(ca_name, ca_name, ca_key.public_key(), ca_key, is_ca=True)
    leaf = _certificate(name, ca_name, key.public_key(), ca_key, names=names)
    ca_file, chain_file = folder / "ca.pem", folder / "server.pem"
    ca_file.write_bytes(ca.public_bytes(serialization.Encoding.PEM))
    chain_file.write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
        + leaf.public_bytes(serialization.Encoding.PEM)
    )
    return Certificates(ca_file=ca_file, chain_file=chain_file)


def _name(text: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, text)])


def _certificate(  # noqa: PLR0913 - the parts of a certificate
    subject: x509.Name,
    issuer: x509.Name,
    public_key: ec.EllipticCurvePublicKey,
    signer: ec.EllipticCurvePrivateKey,
    *,
    names: Sequence[str] = (),
    is_ca: bool = False,
) -> x509.Certificate:
    now = datetime.now(UTC)
    builder = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(public_key)
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.BasicConstraints(ca=is_ca, path_length=None), critical=True)
        # From Python 3.13 on, certificates without these are refused.
        .add_extension(
            x509.SubjectKeyIdentifier.from_public_key(public_key), critical=False
        )
        .add_extension(
            x509.AuthorityKeyIdentifier.from_issuer_public_key(signer.public_key()),
            critical=False,
        )
    )
    if is_ca:
        builder = builder.add_extension(
            x509.KeyUsage(
                digital_signature=True,
                key_cert_sign=True,
                crl_sign=True,
                content_commitment=False,
                key_encipherment=False,
                data_encipherment=False,
                key_agreement=False,
                encipher_only=False,
                decipher_only=False,
            ),
            critical=True,
        )
    if names:
        builder = builder.add_extension(
            x509.SubjectAlternativeName([_alternative(name) for name in names]),
            critical=False,
        )
    return builder.sign(signer, hashes.SHA256())


def _alternative(name: str) -> x509.GeneralName:
    try:
        return x509.IPAddress(ipaddress.ip_address(name))
    except ValueError:
        return x509.DNSName(name)
