"""
The dashboard with its organizations, over real services.
"""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import attrs
import pytest
from falcon.testing import TestClient

from hvcore.settings.mail import MailSettings
from hvcore.settings.sign_in import SignInSettings
from hvcore_dashboard.app import make_dashboard
from hvcore_dashboard.assets import DASHBOARD_FILES, STATIC
from hvcore_reference.dry_playback import DryPlaybackJudge
from tests.conftest import SettableClock
from tests.dashboard.mailed import Mailing
from tests.dashboard.opened import Dashboard, StillInstallation
from tests.support.http.fixtures import Template, settings_of
from tests.support.network.mail_server import mail_server


@pytest.fixture(scope="session")
def static(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """
    The pages' files, with stand-ins for those that are fetched.
    """
    folder = tmp_path_factory.mktemp("static") / "static"
    shutil.copytree(STATIC, folder, ignore=shutil.ignore_patterns("vendor"))
    (folder / "vendor").mkdir()
    for name in DASHBOARD_FILES.names:
        (folder / name).write_text(f"/* {name} */")
    return folder


@pytest.fixture
def dashboard(
    _template: Template, static: Path, tmp_path: Path, clock: SettableClock
) -> Iterator[Dashboard]:
    """
    The dashboard of a service of its own.
    """
    with open_dashboard(_template, tmp_path, static, clock) as made:
        yield made


@pytest.fixture(scope="module")
def shared(
    _template: Template, static: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Dashboard]:
    """
    One dashboard for all cells of a matrix.
    """
    folder = tmp_path_factory.mktemp("shared")
    with open_dashboard(_template, folder, static, SettableClock()) as made:
        yield made


@pytest.fixture
def mailing(
    _template: Template, static: Path, tmp_path: Path, clock: SettableClock
) -> Iterator[Mailing]:
    """
    The dashboard of a service that has a mail server, and that server.
    """
    with mail_server() as server:
        mail = MailSettings(url=f"smtp://127.0.0.1:{server.port}")
        with open_dashboard(_template, tmp_path, static, clock, mail=mail) as made:
            yield Mailing(dashboard=made, server=server)


@contextmanager
def open_dashboard(
    template: Template,
    folder: Path,
    static: Path,
    clock: SettableClock,
    **changed: MailSettings | SignInSettings,
) -> Iterator[Dashboard]:
    """
    Open the dashboard of a service of its own.

    Args:
        changed: Settings of the service by their names.
    """
    # A matrix signs in more often than people do.
    usual = {"sign_in": SignInSettings(attempts_per_minute=100_000)}
    settings = attrs.evolve(settings_of(folder), **{**usual, **changed})
    with template.open(settings, clock) as world:
        installation = StillInstallation()
        app = make_dashboard(
            world.services,
            installation=installation,
            judge=DryPlaybackJudge.of(world.services),
            static=static,
        )
        yield Dashboard(world=world, client=TestClient(app), installation=installation)
