"""
A client of the HTTP API, as small as an upload needs it.
"""

import http.client
import json
import ssl
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, Final, Self
from urllib.parse import urlsplit

import attrs

from hv_cli.commands import CliError, Invocation
from hv_cli.data_folder import DataFolder

TIMEOUT_S: Final = 60.0
CHUNK_BYTES: Final = 256 * 1024
CONTENT_TYPES: Final = {
    ".mp4": "video/mp4",
    ".m4v": "video/mp4",
    ".mov": "video/quicktime",
    ".avi": "video/x-msvideo",
    ".webm": "video/webm",
    ".mkv": "video/x-matroska",
}
"""Endings of file names, and the content types that the service takes."""


class ApiError(CliError):
    """
    The API refused a request; the message is its own.

    Args:
        status: Of the answer.
        retry_after_s: When it wants to be asked again, if it says so.
    """

    def __init__(
        self, message: str, *, status: int, retry_after_s: float | None = None
    ) -> None:
        super().__init__(message)
        self.status = status
        self.retry_after_s = retry_after_s


class UnreachableError(CliError):
    """
    Nobody answers, or the connection broke.
    """


@attrs.frozen(kw_only=True)
class ApiAnswer:
    """
    The answer to a request that was carried out.
    """

    content: bytes
    headers: http.client.HTTPMessage


class ApiClient:
    """
    Call the API with a key.
    """

    def __init__(self, api_url: str, key: str) -> None:
        self._root = api_url.rstrip("/")
        self._key = key

    @classmethod
    def of(
        cls, invocation: Invocation, environ: Mapping[str, str], env: str = "live"
    ) -> Self:
        """
        Use HV_API_URL and HV_API_KEY, else the service that runs or starts here.

        Args:
            env: Whose first key is used, if none is given.

        Raises:
            CliError: There is neither.
        """
        folder = DataFolder(invocation.data)
        url = environ.get("HV_API_URL") or folder.awaited_addresses().get("apiURL")
        key = environ.get("HV_API_KEY") or folder.first_keys().get(env)
        if not url:
            raise CliError(
                f"No service runs on {folder.path}. Start one with hv up, or set "
                "HV_API_URL and HV_API_KEY."
            )
        if not key:
            raise CliError(
                f"There is no key for {env} in {folder.first_keys_file}; set HV_API_KEY."
            )
        return cls(url, key)

    def call(
        self,
        method: str,
        path: str,
        fields: Mapping[str, object] | None = None,
        *,
        headers: Mapping[str, str] | None = None,
    ) -> dict[str, Any]:
        """
        Send a request below ``/v1`` and return the answer's ``body``.

        Args:
            headers: Beside the key's.

        Raises:
            ApiError: The API refused it.
            CliError: The API cannot be reached.
        """
        content = None if fields is None else json.dumps(fields).encode()
        sent = {"X-Api-Key": self._key, "Accept": "application/json", **(headers or {})}
        if content is not None:
            sent["Content-Type"] = "application/json"
        answer = request(method, f"{self._root}/v1{path}", content, sent)
        try:
            body = json.loads(answer)["body"]
        except (ValueError, KeyError, TypeError) as exc:
            raise CliError(f"{self._root} does not answer as the API does.") from exc
        return dict(body)


def put_file(
    url: str, path: Path, content_type: str, advance: Callable[[int], None]
) -> None:
    """
    Send a file to a signed upload URL.

    Args:
        advance: Called with the size of each piece that was sent.

    Raises:
        ApiError: The upload was refused.
        CliError: It broke off.
    """
    headers = {"Content-Type": content_type, "Content-Length": str(path.stat().st_size)}
    request("PUT", url, _counted(path, advance), headers)


def get(url: str) -> bytes:
    """
    Fetch an address.

    Raises:
        ApiError: The answer is not 200.
        CliError: There is none.
    """
    return request("GET", url, None, {})


def request(
    method: str,
    url: str,
    content: bytes | Iterator[bytes] | None,
    headers: Mapping[str, str],
) -> bytes:
    """
    Send one request and return the content of its answer; see exchange.
    """
    return exchange(method, url, content, headers).content


def exchange(
    method: str,
    url: str,
    content: bytes | Iterator[bytes] | None,
    headers: Mapping[str, str],
) -> ApiAnswer:
    """
    Send one request and return its answer.

    Raises:
        ApiError: The status is not a success.
        UnreachableError: There is no answer.
    """
    parts = urlsplit(url)
    target = parts.path + (f"?{parts.query}" if parts.query else "")
    # The address without its query: that may be a signature or a token.
    where = f"{parts.scheme}://{parts.netloc}{parts.path}"
    connection = _connect(parts.scheme, parts.netloc)
    try:
        status, answer = _answer(connection, method, target, content, headers)
    except (OSError, http.client.HTTPException) as exc:
        raise UnreachableError(f"{where} cannot be reached: {exc}") from exc
    finally:
        connection.close()
    if not 200 <= status < 300:  # noqa: PLR2004 - the successes of HTTP
        wait = answer.headers.get("Retry-After", "")
        raise ApiError(
            f"{method} {where}: {status} {_problem(answer.content)}",
            status=status,
            retry_after_s=float(wait) if wait.isdecimal() else None,
        )
    return answer


def file_pieces(path: Path, offset: int = 0) -> Iterator[bytes]:
    """
    Yield what a file has from an offset on, piece by piece.
    """
    with path.open("rb") as file:
        file.seek(offset)
        while piece := file.read(CHUNK_BYTES):
            yield piece


def _answer(
    connection: http.client.HTTPConnection,
    method: str,
    target: str,
    content: bytes | Iterator[bytes] | None,
    headers: Mapping[str, str],
) -> tuple[int, ApiAnswer]:
    # A server that refuses a large body answers before it has all of it.
    with suppress(BrokenPipeError, ConnectionResetError):
        connection.request(method, target, content, dict(headers))
    answer = connection.getresponse()
    return answer.status, ApiAnswer(content=answer.read(), headers=answer.headers)


def _connect(scheme: str, netloc: str) -> http.client.HTTPConnection:
    if scheme == "https":
        context = ssl.create_default_context()
        return http.client.HTTPSConnection(netloc, timeout=TIMEOUT_S, context=context)
    return http.client.HTTPConnection(netloc, timeout=TIMEOUT_S)


def _counted(path: Path, advance: Callable[[int], None]) -> Iterator[bytes]:
    for piece in file_pieces(path):
        yield piece
        advance(len(piece))


def _problem(answer: bytes) -> str:
    try:
        document = json.loads(answer)
        return f"{document['code']}: {document['detail']}"
    except (ValueError, KeyError, TypeError):
        return answer[:200].decode(errors="replace")
