"""
What ``hv doctor`` says of mails.
"""

from collections.abc import Callable, Sequence
from pathlib import Path

from hvcore.assembly import Services, build
from hvcore.domain.health_findings import HealthFinding
from hvcore.settings import load
from hvcore_checks.settings_checks import mail, spool
from tests.support.network.mail_server import mail_server


def finding(
    folder: Path,
    check: Callable[[Services], Sequence[HealthFinding]] = mail,
    **environ: str,
) -> HealthFinding:
    settings = load(config_path=None, environ=environ, data_dir=folder).settings
    with build(settings, rings=False) as services:
        (found,) = check(services)
    return found


def test_mails_as_files_are_fine_for_a_try_and_not_for_the_public(
    tmp_path: Path,
) -> None:
    local = finding(tmp_path)
    public = finding(tmp_path, HV_PUBLIC__PLAYER_URL="https://play.example.com")

    assert (local.state, public.state) == ("ok", "warning")
    assert str(tmp_path / "mail") in local.found
    assert "HV_MAIL__URL" in public.fix


def test_a_mail_server_is_asked_whether_it_takes_the_password(tmp_path: Path) -> None:
    with mail_server(login=(b"hv", b"right")) as server:
        host = f"127.0.0.1:{server.port}"
        works = finding(tmp_path, HV_MAIL__URL=f"smtp://hv:right@{host}")
        refused = finding(tmp_path, HV_MAIL__URL=f"smtp://hv:wrong@{host}")

    assert works.state == "ok"
    assert refused.state == "broken"
    assert "535" in refused.found
    assert "wrong" not in refused.found


def test_the_folder_in_which_counts_wait_is_made_or_the_setting_is_named(
    tmp_path: Path,
) -> None:
    place, file = tmp_path / "counts", tmp_path / "file"
    file.touch()

    works = finding(tmp_path, spool, HV_ANALYTICS__SPOOL_DIR=str(place))
    broken = finding(tmp_path, spool, HV_ANALYTICS__SPOOL_DIR=str(file / "counts"))

    assert (works.state, works.found) == ("ok", str(place))
    assert place.is_dir()
    assert broken.state == "broken"
    assert broken.fix == "Correct HV_ANALYTICS__SPOOL_DIR."
