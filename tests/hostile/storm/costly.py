"""
The ones who cost processor time: ``python -m tests.hostile.storm.costly``.

One key that sends captions full of markup, pictures of many pixels, files, and asks for
reports and grants; and a stranger who asks for pictures of all sizes, for what is not
there, for parts of segments, tries keys and sign-in links, and holds connections.

Reads and prints what :mod:`tests.hostile.storm.attacks` does.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import ClassVar, Final

from tests.hostile.storm.attacks import Attack, Attackers, Targets, attack_as, silent
from tests.hostile.storm.exchange import ask
from tests.hostile.strangers import head

CAPTIONS_BYTES: Final = 2_000_000
CUE: Final = f"00:00:00.000 --> 01:00:00.000\n<v {'&' * 1_990}>\n\n"
CAPTIONS: Final = ("WEBVTT\n\n" + CUE * (CAPTIONS_BYTES // len(CUE))).encode()
FILE_BYTES: Final = 4_000_000
HELD: Final = 320
REPORTS: Final = ("usage", "daily?days=90", "storage", "viewers")
FORM: Final = "Content-Type: application/x-www-form-urlencoded"


class CostlyAttackers(Attackers):
    """
    Attacks that make work.
    """

    # Idle is measured beside them, so they may take of the machine what they want.
    niceness: ClassVar[int] = 0
    again_after_s: ClassVar[float] = 0.05
    lands: ClassVar[Mapping[str, frozenset[str]]] = {
        "captions": frozenset({"400 invalid_parameters"}),
        "pictures": frozenset({"200"}),
        "reports": frozenset({"200"}),
        "grants": frozenset({"200"}),
        "thumbnails": frozenset({"200"}),
        "missing": frozenset({"404 not_found"}),
        "wrong keys": frozenset({"401 unauthorized"}),
        "ranges": frozenset({"206"}),
    }

    def __init__(self, targets: Targets) -> None:
        super().__init__(targets)
        self._picture_file = Path(targets.picture).read_bytes()

    def _of_stranger(self) -> Iterator[tuple[str, Attack, int]]:
        api, delivery = self._targets.api_port, self._targets.delivery_port
        segment = head("GET", self._segment, "Content-Length: 4096")
        yield "no body, held", silent(delivery, segment), HELD // 4
        yield "half a head, held", silent(api, b"GET / HT"), HELD // 4
        yield "half a head, held by delivery", silent(delivery, b"GET / HT"), HELD // 2
        yield "thumbnails", self._odd_picture, 8
        yield "missing", self._missing, 8
        yield "wrong keys", self._wrong_key, 4
        yield "sign-ins", self._sign_in, 4
        yield "ranges", self._part, 8

    def _of_organization(self) -> Iterator[tuple[str, Attack, int]]:
        yield "captions", self._captions, 6
        yield "pictures", self._picture, 4
        yield "reports", self._report, 6
        yield "grants", self._grant, 4
        yield "uploads", self._upload, 4

    async def _captions(self, address: str, number: int) -> str:
        language = ("de", "fr", "es")[number % 3]
        path = f"/v1/videos/{self._targets.pictured}/captions/{language}"
        return await self._send(address, "PUT", path, "text/vtt", CAPTIONS)

    async def _picture(self, address: str, _: int) -> str:
        path = f"/v1/videos/{self._targets.pictured}/thumbnail"
        return await self._send(address, "POST", path, "image/png", self._picture_file)

    async def _report(self, address: str, number: int) -> str:
        path = f"/v1/analytics/{REPORTS[number % len(REPORTS)]}"
        key = f"X-Api-Key: {self._targets.key}"
        return await ask(address, self._targets.api_port, "GET", path, key)

    async def _upload(self, address: str, number: int) -> str:
        path = self._targets.uploads[number % len(self._targets.uploads)]
        port, lines = self._targets.delivery_port, ("Content-Type: video/mp4",)
        return await ask(address, port, "PUT", path, *lines, body=bytes(FILE_BYTES))

    async def _send(
        self, address: str, method: str, path: str, media_type: str, body: bytes
    ) -> str:
        lines = (f"X-Api-Key: {self._targets.key}", f"Content-Type: {media_type}")
        return await ask(
            address, self._targets.api_port, method, path, *lines, body=body
        )

    async def _missing(self, address: str, number: int) -> str:
        ports = (self._targets.api_port, self._targets.delivery_port)
        return await ask(address, ports[number % 2], "GET", f"/nothing/{number}")

    async def _wrong_key(self, address: str, number: int) -> str:
        key = f"X-Api-Key: hv_live_{number:032}"
        return await ask(address, self._targets.api_port, "GET", "/v1/videos", key)

    async def _sign_in(self, address: str, number: int) -> str:
        body = f"token={number:043}".encode()
        path = "/dashboard/sign-in/link"
        port = self._targets.api_port
        found = await ask(address, port, "POST", path, FORM, body=body)
        # It is a page, which names no code.
        return f"{found} page"

    async def _part(self, address: str, number: int) -> str:
        first = number * 4_001 % 3_000_000
        lines = (f"Range: bytes={first}-{first + 4_000}",)
        port = self._targets.delivery_port
        return await ask(address, port, "GET", self._segment, *lines)


if __name__ == "__main__":
    attack_as(CostlyAttackers)
