"""
An imitation of Google Cloud Storage, with a door that checks what it does not.

The imitation (gcp-storage-emulator) knows neither signatures nor conditions. The door
checks signatures by the published rules for version 4: it builds the canonical request from
what was really sent, and verifies it with the public key of the account.

Source: https://cloud.google.com/storage/docs/authentication/canonical-requests
"""

import hashlib
import io
import json
import uuid
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from functools import cache, partial
from http.server import ThreadingHTTPServer
from pathlib import Path
from threading import Lock, Thread
from typing import Final
from urllib.parse import parse_qsl, quote, unquote, urlsplit

import urllib3
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import padding, rsa
from gcp_storage_emulator.server import RequestHandler
from gcp_storage_emulator.storage import Storage

ACCOUNT: Final = "videos@tests.iam.gserviceaccount.com"
PROJECT: Final = "tests"
TOKEN: Final = "ya29.test"
_REWRITE: Final = "/rewriteTo/"
_CORS: Final = {
    "Access-Control-Allow-Origin": "*",
    "Access-Control-Allow-Methods": "GET,PUT",
    "Access-Control-Allow-Headers": "content-type,range",
}


@cache
def account_key() -> rsa.RSAPrivateKey:
    """
    Return the key of the account that owns the buckets.
    """
    return rsa.generate_private_key(public_exponent=65537, key_size=2048)


def key_file(folder: Path, endpoint: str) -> Path:
    """
    Write the file that an operator gets from Google for the account.
    """
    pem = account_key().private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    )
    path = folder / "account.json"
    path.write_text(
        json.dumps(
            {
                "type": "service_account",
                "project_id": PROJECT,
                "private_key_id": "1",
                "private_key": pem.decode(),
                "client_email": ACCOUNT,
                "client_id": "1",
                "token_uri": f"{endpoint}/token",
            }
        )
    )
    return path


class _Door(RequestHandler):  # type: ignore[misc] - it has no types
    """
    Lets in who has a token or a signature that is right.

    Attributes:
        lock: The imitation is made for one request at a time. Only whole ones hold it: a
            client may connect and wait with the rest until another request is answered.
    """

    lock: Lock

    def do_OPTIONS(self) -> None:  # noqa: N802 - the names of the base class
        self._say(200, {}, _CORS)

    def do_GET(self) -> None:  # noqa: N802 - the names of the base class
        if self._may_enter():
            with self.lock:
                if self._is_of_another_generation():
                    self._say(
                        404, {"error": {"code": 404, "message": "No such object"}}
                    )
                else:
                    super().do_GET()

    def do_DELETE(self) -> None:  # noqa: N802 - the names of the base class
        if self._may_enter():
            with self.lock:
                super().do_DELETE()

    def do_PUT(self) -> None:  # noqa: N802 - the names of the base class
        if not self._may_enter():
            return
        if self.headers.get("Content-Length") == "0":
            # The imitation fails on an empty body.
            self._say(400, {})
            return
        with self.lock:
            super().do_PUT()

    def do_POST(self) -> None:  # noqa: N802 - the names of the base class
        if urlsplit(self.path).path == "/token":
            self._say(200, {"access_token": TOKEN, "expires_in": 3600})
        elif self._may_enter():
            with self.lock:
                self._post()

    def _post(self) -> None:
        if _REWRITE in self.path:
            self._rewrite()
        else:
            super().do_POST()

    def _may_enter(self) -> bool:
        size = int(self.headers.get("Content-Length") or 0)
        body = self.rfile.read(size)
        if len(body) < size:
            # The imitation would keep what came.
            return False
        self.rfile = io.BytesIO(body)
        query = dict(parse_qsl(urlsplit(self.path).query))
        if "X-Goog-Signature" in query:
            refusal = _refusal(self.command, self.path, query, dict(self.headers))
        elif self.headers.get("Authorization") == f"Bearer {TOKEN}":
            refusal = None
        else:
            refusal = "AccessDenied"
        if refusal is None:
            # The imitation would cut the name of an object there.
            self.path = self.path.replace(";", "%3B")
            return True
        told = f"<Error><Code>{refusal}</Code></Error>".encode()
        self._answer(403, told, {"Content-Type": "application/xml"})
        return False

    def _rewrite(self) -> None:
        """
        Copy with the condition and the type that the imitation passes over.
        """
        parts = urlsplit(self.path)
        source = self._object(parts.path.split(_REWRITE)[0])
        condition = dict(parse_qsl(parts.query)).get("ifSourceGenerationMatch")
        if source and condition not in {None, source["generation"]}:
            self._say(412, {"error": {"code": 412, "message": "conditionNotMet"}})
            return
        body = self.rfile.read()
        self.rfile = io.BytesIO(body)
        super().do_POST()
        target = self._object(parts.path.split(_REWRITE)[1])
        if source and target:
            target.update(json.loads(body))

    def _is_of_another_generation(self) -> bool:
        """Return whether an object is asked for by a generation that it has no more."""
        parts = urlsplit(self.path)
        wanted = dict(parse_qsl(parts.query)).get("generation")
        found = self._object(parts.path)
        return bool(wanted and found and found["generation"] != wanted)

    def _object(self, path: str) -> dict[str, str] | None:
        bucket, _, name = path.partition("b/")[2].partition("/o/")
        found: dict[str, str] | None = self.storage.objects.get(bucket, {}).get(
            unquote(name)
        )
        return found

    def _say(
        self, status: int, value: object, headers: Mapping[str, str] | None = None
    ) -> None:
        self._answer(status, json.dumps(value).encode(), headers or {})

    def _answer(self, status: int, body: bytes, headers: Mapping[str, str]) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


def _refusal(
    method: str, target: str, query: Mapping[str, str], headers: Mapping[str, str]
) -> str | None:
    """
    Return why a signed request is refused; None if it is not.
    """
    signed_at = datetime.strptime(query["X-Goog-Date"], "%Y%m%dT%H%M%SZ").replace(
        tzinfo=UTC
    )
    if datetime.now(UTC) > signed_at + timedelta(seconds=int(query["X-Goog-Expires"])):
        return "ExpiredToken"
    canonical = canonical_request(method, target, headers)
    scope = query["X-Goog-Credential"].partition("/")[2]
    text = "\n".join(
        (
            query["X-Goog-Algorithm"],
            query["X-Goog-Date"],
            scope,
            hashlib.sha256(canonical.encode()).hexdigest(),
        )
    )
    try:
        account_key().public_key().verify(
            bytes.fromhex(query["X-Goog-Signature"]),
            text.encode(),
            padding.PKCS1v15(),
            hashes.SHA256(),
        )
    except (InvalidSignature, ValueError):
        return "SignatureDoesNotMatch"
    return None


def canonical_request(method: str, target: str, headers: Mapping[str, str]) -> str:
    """
    Return what must have been signed, by what was sent.
    """
    parts = urlsplit(target)
    pairs = parse_qsl(parts.query, keep_blank_values=True)
    query = "&".join(
        f"{quote(name, safe='~')}={quote(value, safe='~')}"
        for name, value in sorted(pairs)
        if name != "X-Goog-Signature"
    )
    names = dict(pairs)["X-Goog-SignedHeaders"]
    sent = {name.lower(): " ".join(value.split()) for name, value in headers.items()}
    lines = [f"{name}:{sent.get(name, '')}\n" for name in names.split(";")]
    payload = sent.get("x-goog-content-sha256", "UNSIGNED-PAYLOAD")
    path = quote(unquote(parts.path), safe="/~")
    return "\n".join((method, path, query, "".join(lines), names, payload))


@contextmanager
def google_server() -> Iterator[str]:
    """
    Run it until the block ends; gives its address. Everything is in memory.
    """
    storage = Storage(use_memory_fs=True)
    door = type("Door", (_Door,), {"lock": Lock()})
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(door, storage))
    server.daemon_threads = True
    thread = Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def new_google_bucket(endpoint: str) -> str:
    """
    Make a bucket that nobody else uses.
    """
    name = f"videos-{uuid.uuid4().hex}"
    _ask("POST", f"{endpoint}/storage/v1/b?project={PROJECT}", json={"name": name})
    return name


def google_args(folder: Path, endpoint: str) -> dict[str, object]:
    """
    Return the options of a storage there.
    """
    token = str(key_file(folder, endpoint))
    return {"token": token, "project": PROJECT, "endpoint_url": endpoint}


def environ_of_google(folder: Path, endpoint: str, bucket: str) -> Mapping[str, str]:
    """
    Return the settings of a service whose files lie in a bucket.
    """
    args = google_args(folder, endpoint)
    named = {f"HV_STORAGE__OPTIONS__{name.upper()}": str(args[name]) for name in args}
    return {"HV_STORAGE__OPTIONS__URL": f"gs://{bucket}/here", **named}


def google_names(endpoint: str, bucket: str, prefix: str) -> Sequence[str]:
    """
    Name what lies there.
    """
    found = _ask("GET", f"{endpoint}/storage/v1/b/{bucket}/o?prefix={prefix}").json()
    return [one["name"] for one in found.get("items", [])]


def google_content(endpoint: str, bucket: str, name: str) -> bytes:
    """
    Read an object, past the storage's own code.
    """
    path = quote(name, safe="")
    return _ask("GET", f"{endpoint}/storage/v1/b/{bucket}/o/{path}?alt=media").data


def _ask(method: str, url: str, **more: object) -> urllib3.BaseHTTPResponse:
    headers = {"Authorization": f"Bearer {TOKEN}"}
    with urllib3.PoolManager(retries=False) as pool:
        answer = pool.request(method, url, headers=headers, **more)  # type: ignore[arg-type]
    assert answer.status == 200, answer.data
    return answer
