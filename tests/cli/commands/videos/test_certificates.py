"""
hv videos certificate, without a running service.
"""

import json
import sqlite3
from contextlib import closing
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest

from tests.cli.conftest import Hv

VIDEO = "vid_" + "1" * 22
DATA = Path("hv-data")


@pytest.fixture
def stored_video(migrated: Hv, tmp_path: Path) -> Hv:
    """
    A service with a ready video that has no files.
    """
    assert migrated("orgs", "create", "org_local").status == 0
    migrated("envs", "create", "org_local", "live", "--kind", "production")
    row: dict[str, object] = {
        "id": VIDEO,
        "public_id": "pub" + VIDEO,
        "org_id": "org_local",
        "name": "a name that no certificate has",
        "state": "ready",
        "is_public": 0,
        "settings": '{"preset": "standard"}',
        "source_path": "org_local/live/uploads/x",
        "created_at": 1,
        "duration_s": 1.0,
        "version": 1,
    }
    with closing(sqlite3.connect(tmp_path / DATA / "hvcore.sqlite3")) as connection:
        (row["env_id"],) = connection.execute("SELECT id FROM environments").fetchone()
        columns = connection.execute("PRAGMA table_info(videos)").fetchall()
        for _, name, kind, is_required, default, _ in columns:
            if is_required and default is None and name not in row:
                row[name] = "" if kind == "TEXT" else 0
        marks = ", ".join("?" for _ in row)
        connection.execute(
            f"INSERT INTO videos ({', '.join(row)}) VALUES ({marks})",  # noqa: S608 - ours
            list(row.values()),
        )
        connection.commit()
    return migrated


@pytest.fixture
def deleted(stored_video: Hv) -> Hv:
    """
    A service with a video that was deleted, and of which nothing is left.
    """
    assert stored_video("videos", "delete", VIDEO).status == 0
    return stored_video


def let_purges_end(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / DATA / "hvcore.sqlite3")) as connection:
        connection.execute("UPDATE tasks SET state = 'done'")
        connection.execute("UPDATE videos SET name = '', name_folded = ''")
        connection.commit()


def test_a_refusal_says_until_when_and_is_status_1(deleted: Hv) -> None:
    outcome = deleted("videos", "certificate", "--deleted", VIDEO)

    assert (outcome.status, outcome.stdout) == (1, "")
    assert "Ask again then" in outcome.stderr


def test_a_certificate_is_made_checked_and_refused_when_changed(
    deleted: Hv, tmp_path: Path
) -> None:
    let_purges_end(tmp_path)
    file = tmp_path / "certificate.json"

    text = deleted("videos", "certificate", "--deleted", VIDEO, "--out", str(file))

    assert text.status == 0
    assert f"Deletion of {VIDEO}" in text.stdout
    assert "0 objects under file://" in text.stdout
    assert "by cli:" in text.stdout
    good = deleted("videos", "certificate", "--check", str(file))
    assert (good.status, good.stdout.split()[:2]) == (0, ["good:", VIDEO])
    assert "a name" not in file.read_text()
    file.write_text(file.read_text().replace('"objects": 0', '"objects": 1', 1))
    changed = deleted("videos", "certificate", "--check", str(file))
    assert (changed.status, changed.stdout) == (1, "")
    assert "changed after it was signed" in changed.stderr


def test_another_installation_checks_with_the_public_key(
    deleted: Hv, tmp_path: Path
) -> None:
    let_purges_end(tmp_path)
    made = deleted("videos", "certificate", "--deleted", VIDEO, "--json")
    file = tmp_path / "certificate.json"
    file.write_text(made.stdout)
    key = json.loads(made.stdout)["signature"]["publicKey"]
    other = str(tmp_path / "other")
    words = ("--data", other, "videos", "certificate", "--check", str(file))

    assert deleted(*words).status == 1
    assert deleted(*words, "--public-key", key).status == 0


def test_all_since_a_day_are_in_one_file(deleted: Hv, tmp_path: Path) -> None:
    let_purges_end(tmp_path)
    file = tmp_path / "all.json"

    made = deleted("videos", "certificate", "--since", "1d", "--out", str(file))

    assert made.status == 0
    assert len(json.loads(file.read_text())["certificates"]) == 1
    assert deleted("videos", "certificate", "--check", str(file)).status == 0


def test_one_of_the_three_is_wanted(migrated: Hv) -> None:
    both = ("--deleted", VIDEO, "--since", "30d")
    assert migrated("videos", "certificate").status == 2
    assert migrated("videos", "certificate", *both).status == 2
    assert migrated("videos", "certificate", "--since", "soon").status == 2


@pytest.mark.parametrize(("since", "count"), [(-1, 1), (1, 0)])
@pytest.mark.parametrize("zone", [None, timezone(timedelta(hours=3))])
def test_a_moment_without_a_zone_is_one_of_utc(
    deleted: Hv, tmp_path: Path, since: int, count: int, zone: timezone | None
) -> None:
    let_purges_end(tmp_path)
    moment = (datetime.now(UTC) + timedelta(hours=since)).astimezone(zone or UTC)
    text = moment.replace(tzinfo=zone).isoformat()

    made = deleted("videos", "certificate", "--since", text, "--json")

    assert len(json.loads(made.stdout)["certificates"]) == count


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (None, "cannot be read"),
        ("no document", "is no JSON document"),
        ('{"certificates": []}', "has no certificate"),
        ("[]", "certificate 1"),
        ('{"certificates": [{}, {}]}', "certificate 1"),
    ],
)
def test_a_file_without_a_certificate_is_told_in_words(
    migrated: Hv, tmp_path: Path, text: str | None, said: str
) -> None:
    file = tmp_path / "certificate.json"
    if text is not None:
        file.write_text(text)

    checked = migrated("videos", "certificate", "--check", str(file))

    assert (checked.status, checked.stdout) == (1, "")
    assert said in checked.stderr


def test_fsck_counts_personal_data_by_column_and_never_shows_it(
    deleted: Hv, tmp_path: Path
) -> None:
    text = deleted("fsck", "--personal", VIDEO)
    as_json = deleted("fsck", "--personal", VIDEO, "--json")

    assert text.status == as_json.status == 1
    assert text.stderr == ""
    assert text.stdout == "videos.name: 1 rows\nvideos.name_folded: 1 rows\n"
    assert json.loads(as_json.stdout) == {
        "videoID": VIDEO,
        "personal": {"videos.name": 1, "videos.name_folded": 1},
    }
    let_purges_end(tmp_path)
    clean = deleted("fsck", "--personal", VIDEO)
    assert (clean.status, clean.stdout) == (0, "")
    assert clean.stderr == f"Nothing personal of {VIDEO} is left.\n"


def test_a_video_with_a_name_left_gets_no_certificate(
    deleted: Hv, tmp_path: Path
) -> None:
    with closing(sqlite3.connect(tmp_path / DATA / "hvcore.sqlite3")) as connection:
        connection.execute("UPDATE tasks SET state = 'done'")
        connection.commit()

    outcome = deleted("videos", "certificate", "--deleted", VIDEO)

    assert (outcome.status, outcome.stdout) == (1, "")
    assert "personal data of it in videos.name" in outcome.stderr
    assert "a name that no certificate has" not in outcome.stderr


def test_a_certificate_is_told_in_the_words_of_people(
    deleted: Hv, tmp_path: Path
) -> None:
    let_purges_end(tmp_path)
    with closing(sqlite3.connect(tmp_path / DATA / "hvcore.sqlite3")) as connection:
        connection.execute("DELETE FROM removals")
        connection.commit()

    lines = deleted("videos", "certificate", "--deleted", VIDEO).stdout.splitlines()

    assert lines[0] == f"Deletion of {VIDEO} (pub{VIDEO})"
    assert lines[1].startswith("  of org_local, environment ")
    assert " by somebody that was not written down" in lines[2]
    assert lines[3:5] == [
        "Removed",
        "  nothing was written down when it was deleted",
    ]
