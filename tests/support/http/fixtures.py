"""
The API over real services, with SQLite and ports in memory.
"""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import attrs
import pytest

from hvcore.assembly import build
from hvcore.safe_http import OutboundHttp
from hvcore.settings import (
    DatabaseSettings,
    PlaybackSettings,
    PublicSettings,
    Settings,
    UploadSettings,
)
from hvcore.settings.tree import LimitSettings
from tests.conftest import SettableClock
from tests.support.drawing import share_children
from tests.support.http.cinema import Cinema
from tests.support.http.fakes import MemoryStorage, RememberingQueue, ScratchTranscoder
from tests.support.http.world import ORG, ORIGIN, Tenants, World, make_tenants
from tests.support.network.outbound import Names


def settings_of(folder: Path) -> Settings:
    """
    Return the settings of a service in a folder.
    """
    return Settings(
        data_dir=folder,
        public=PublicSettings(
            api_url="https://api.test",
            worker_url="https://worker.test",
            upload_url="https://upload.test",
            cors_origins=(ORIGIN,),
        ),
        database=DatabaseSettings(url=f"sqlite:///{folder / 'hvcore.sqlite3'}"),
        playback=PlaybackSettings(signing_key="p" * 16 + "0123456789abcdef" * 2),
        uploads=UploadSettings(signing_key="u" * 16 + "0123456789abcdef" * 2),
        plugin_modules=(
            "hvcore_analytics_sql.plugin",
            "hvcore_auth_apikey.plugin",
            "hvcore_ratelimit.plugin",
            "hvcore_sign_in_link.plugin",
        ),
    )


@attrs.frozen(kw_only=True)
class Template:
    """
    A database that is copied for each test: making one takes longer than a test.
    """

    database: Path
    tenants: Tenants

    @contextmanager
    def open(self, settings: Settings, clock: SettableClock) -> Iterator[World]:
        """
        Run the API with some settings, on a copy.
        """
        shutil.copy(self.database, settings.data_dir / self.database.name)
        with open_world(settings, clock, self.tenants) as world:
            yield world


@pytest.fixture(scope="session")
def _template(tmp_path_factory: pytest.TempPathFactory) -> Template:
    folder = tmp_path_factory.mktemp("database")
    with build(settings_of(folder), overrides={"clock": SettableClock()}) as services:
        services.migrate()
        tenants = make_tenants(services)
    return Template(database=folder / "hvcore.sqlite3", tenants=tenants)


@pytest.fixture
def api(_template: Template, tmp_path: Path, clock: SettableClock) -> Iterator[World]:
    """
    The API with its organizations, environments and a key.
    """
    with _template.open(settings_of(tmp_path), clock) as world:
        yield world


@pytest.fixture
def cinema(api: World) -> Cinema:
    """
    A public video of the API with its files, as viewers load them.
    """
    return Cinema(api=api)


fresh = api
"""For a file whose other tests share one."""


@pytest.fixture(scope="module")
def shared(
    _template: Template, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[World]:
    """
    One API without limits for all cells of a matrix.

    They see what others of their file have made: for those that do not look.
    """
    settings = settings_of(tmp_path_factory.mktemp("shared"))
    settings = attrs.evolve(settings, limits=LimitSettings(enabled=False))
    with _template.open(settings, SettableClock()) as world:
        yield world


@contextmanager
def open_world(
    settings: Settings, clock: SettableClock, tenants: Tenants | None = None
) -> Iterator[World]:
    """
    Run the API with some settings, on a database that is up to date.

    Args:
        tenants: Who is in it; nobody if None.
    """
    storage, queue = MemoryStorage(), RememberingQueue()
    transcoder, names = ScratchTranscoder(), Names()
    overrides = {
        "clock": clock,
        "storage": storage,
        "queue": queue,
        "transcoder": transcoder,
        # No test asks the name servers of the world.
        "outbound": OutboundHttp(allowed_hosts=[], resolve=names),
    }
    with build(settings, overrides=overrides) as services:
        share_children(services)
        world = World(
            services=services,
            clock=clock,
            storage=storage,
            queue=queue,
            transcoder=transcoder,
            names=names,
            folder=settings.data_dir,
            tenants=tenants or make_tenants(services),
        )
        yield world
        for further in world.further:
            further.close()


@pytest.fixture(params=[f"/v1/api/{ORG}/videos", "/v1/videos"])
def videos(request: pytest.FixtureRequest) -> str:
    """
    The address of videos, in both families.
    """
    return str(request.param)
