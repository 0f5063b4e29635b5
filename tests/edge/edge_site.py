"""
The delivery worker of one video behind a real nginx.

The same worker as without it: only that every request goes through a socket,
nginx, its script, and a server of the worker's apps in this process.
"""

import http.client
import re
import shutil
import threading
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from socketserver import ThreadingMixIn
from typing import Any, Final
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer, make_server

import attrs
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
)
from falcon.testing import Result

from hvcore.domain.analytics.ignored import IgnoredReason
from hvcore.domain.analytics.segments import SegmentPlace
from hvcore.files.changes_file import CHANGES_FILE
from hvcore.playback_tokens import KeyRing, TokenKey
from hvcore.services.access.rotated_keys import RotatedKeys
from hvcore.services.edge.authorizations import EdgeAuthorizations
from hvcore.services.playback.changes import PlaybackChanges
from hvcore.services.playback.signing.rotation import read_rotated_key
from hvcore.settings import (
    AnalyticsSettings,
    EdgeSettings,
    PlaybackSettings,
    PublicSettings,
    Settings,
    UploadSettings,
)
from hvcore.signing.sealing import Sealer
from hvcore_delivery.app import make_app
from hvcore_edge.app import make_app as make_edge_app
from hvcore_edge.config import CONFIG_FILE, EdgeConfig
from hvcore_edge.tallies import place_of
from hvcore_player.app import make_app as make_player_app
from hvcore_reference.public_paths import by_path
from tests.conftest import SettableClock
from tests.support.http.delivery_worker import (
    PLAYER_URL,
    SECRET,
    WORKER_URL,
    DeliveryWorker,
    make_worker,
)
from tests.support.live import free_ports
from tests.support.network.edge import RunningEdge, running_nginx

SEALER: Final = Sealer("0" * 32)
PAIR: Final = TokenKey.load(
    Ed25519PrivateKey.generate().private_bytes(
        Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()
    )
)
"""A key that signs with EdDSA."""
NOTE: Final = re.compile(" [scr]=.*")
"""What stands behind a place, if anything does."""
UPLOAD_KEY: Final = "u" * 16 + "0123456789abcdef" * 2


class _Server(ThreadingMixIn, WSGIServer):
    daemon_threads = True


class _Quiet(WSGIRequestHandler):
    def log_message(self, *_: object) -> None:
        pass


@attrs.define
class EdgeSite:
    """
    An nginx, and the app that stands behind it just now.
    """

    edge: RunningEdge
    storage: Path
    is_local: bool
    app: Any = None

    def worker(self, clock: SettableClock, *, is_public: bool) -> "WorkerBehindEdge":
        """
        Put a worker of one video behind it.
        """
        shutil.rmtree(self.storage, ignore_errors=True)
        base = make_worker(
            clock, self.storage if self.is_local else None, is_public=is_public
        )
        return WorkerBehindEdge(
            clock=clock,
            directory=base.directory,
            storage=base.storage,
            key_ring=KeyRing(
                issuer="hvcore",
                keys=[TokenKey.load(SECRET), PAIR],
                rotated=RotatedKeys(
                    lambda: tuple(base.directory.own_keys), SEALER, read_rotated_key
                ),
            ),
            site=self,
        )


@attrs.define(kw_only=True)
class WorkerBehindEdge(DeliveryWorker):
    """
    The worker as viewers see it who come through the edge.
    """

    site: EdgeSite
    read: Counter[bytes] = attrs.field(init=False)

    def __attrs_post_init__(self) -> None:
        DeliveryWorker.__attrs_post_init__(self)
        self.read = self.all_segments()
        self.settings = settings_of(self.site.edge.folder)
        self.site.app = by_path(
            upload=make_app(self),
            player=make_player_app(self, static=self.static),
            delivery=make_app(self),
            edge=make_edge_app(self),
        )
        self.publish()

    @property
    def edge_authorizations(self) -> EdgeAuthorizations:
        """
        Return the authorizations that edges ask for.
        """
        return EdgeAuthorizations(
            directory=self.directory,
            storage=self.storage,
            access=self.playback_access,
            delivery=self.delivery,
            edge_key_playback=self.edge_key_playback,
            share_link_playback=self.share_link_playback,
        )

    def publish(self) -> None:
        """
        Tell the edge that something has changed.
        """
        PlaybackChanges(file=self.site.edge.folder / CHANGES_FILE).publish()

    def change(self, **changes: object) -> None:
        """
        Change the video's entry, as the services do.
        """
        DeliveryWorker.change(self, **changes)
        self.publish()

    def get(
        self,
        path: str,
        query: str = "",
        headers: Mapping[str, str] | None = None,
        method: str = "GET",
    ) -> Result:
        """
        Send a request through nginx.
        """
        return self.send(f"{path}?{query}" if query else path, headers, method)

    def send(
        self,
        address: str,
        headers: Mapping[str, str] | Sequence[tuple[str, str]] | None,
        method: str = "GET",
    ) -> Result:
        """
        Send a request with an address as it stands.

        Args:
            headers: As pairs, if one comes several times.
        """
        pairs = headers.items() if isinstance(headers, Mapping) else headers or ()
        connection = http.client.HTTPConnection("127.0.0.1", self.site.edge.port)
        try:
            connection.putrequest(method, address, skip_accept_encoding=True)
            for name, value in pairs:
                connection.putheader(name, value)
            connection.endheaders()
            answer = connection.getresponse()
            body = answer.read()
        finally:
            connection.close()
        status = f"{answer.status} {answer.reason}"
        return Result([body], status, answer.getheaders())

    def served(self) -> list[SegmentPlace]:
        """
        Return what the edge has counted as served since last asked.
        """
        return [place_of(b" ".join(text.split()[:4])) for text in self.texts()]

    def too_few(self) -> int:
        """
        Return how often edge and service have ever sent too little to be counted.
        """
        # As of texts.
        self.send("/health/live", None)
        reason = IgnoredReason.TOO_FEW_BYTES
        return sum(one is reason for _, one in self.ignored) + sum(
            count.requests
            for tally in self.site.edge.tallies()
            for count in tally.ignored
            if count.place.reason is reason
        )

    def noted(self) -> list[str]:
        """
        Return what it has noted besides, of those segments; likewise.
        """
        found = (NOTE.search(text.decode()) for text in self.texts())
        return [note[0] for note in found if note]

    def texts(self) -> list[bytes]:
        """
        Return what it has counted since last asked, a text for each segment.
        """
        # One worker: what it answers later, it answers after it has counted.
        self.send("/health/live", None)
        before, self.read = self.read, self.all_segments()
        return list((self.read - before).elements())

    def all_segments(self) -> Counter[bytes]:
        """
        Return all that it has ever counted, by text; nobody removes it.
        """
        found: Counter[bytes] = Counter()
        for tally in self.site.edge.tallies():
            assert not tally.damaged
            noted: Counter[bytes] = Counter()
            for note in tally.notes:
                found[note.place + note.text] += note.segments
                noted[note.place] += note.segments
            for count in tally.counts:
                found[count.place.text] += count.segments - noted[count.place.text]
        return +found


def settings_of(folder: Path) -> Settings:
    """
    Return the settings of a worker behind an edge.
    """
    return Settings(
        data_dir=folder,
        public=PublicSettings(worker_url=WORKER_URL, player_url=PLAYER_URL),
        playback=PlaybackSettings(signing_key=SECRET.decode()),
        uploads=UploadSettings(signing_key=UPLOAD_KEY),
    )


@contextmanager
def edge_site(
    folder: Path,
    *,
    is_local: bool,
    analytics: AnalyticsSettings | None = None,
    **settings: Any,  # noqa: ANN401 - of several types
) -> Iterator[EdgeSite]:
    """
    Run nginx and the server behind it until the block ends.

    Args:
        analytics: What it notes of segments; as little as possible, if None.
        settings: More of the edge's; what it has for an API is the same server.
    """
    port, storage = free_ports(), folder / "storage"

    def app(environ: dict[str, Any], start_response: Any) -> Any:  # noqa: ANN401 - WSGI's own
        return site.app(environ, start_response)

    server = make_server(
        "127.0.0.1", 0, app, server_class=_Server, handler_class=_Quiet
    )
    serving = threading.Thread(target=server.serve_forever, daemon=True)
    serving.start()
    made = EdgeConfig(
        settings=attrs.evolve(
            settings_of(folder),
            analytics=analytics or AnalyticsSettings(),
            edge=EdgeSettings(
                listen=f"127.0.0.1:{port}",
                service=f"127.0.0.1:{server.server_port}",
                api_service=f"127.0.0.1:{server.server_port}",
                **settings,
            ),
        ),
        folder=folder / "edge",
        scripts=folder / "out",
        storage=storage if is_local else None,
    )
    # Of the pair, the service behind knows nothing: who passes, passes here.
    config = made.write([TokenKey.load(SECRET), PAIR])
    assert config.name == CONFIG_FILE
    text = config.read_text().replace("worker_processes auto", "worker_processes 1")
    config.write_text(text)
    try:
        with running_nginx(config, port=port, folder=folder / "edge") as edge:
            site = EdgeSite(edge=edge, storage=storage, is_local=is_local)
            yield site
    finally:
        server.shutdown()
        serving.join()
        server.server_close()
