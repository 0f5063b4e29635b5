"""
hv videos delete --keep-hours, restore and deleted, without a running service.
"""

import json

import pytest

from tests.cli.commands.videos.test_certificates import VIDEO, stored_video
from tests.cli.conftest import Hv

__all__ = ["stored_video"]


def test_a_deleted_video_is_listed_and_restored(stored_video: Hv) -> None:
    deleted = stored_video("videos", "delete", VIDEO, "--keep-hours", "20", "--json")
    listed = stored_video("videos", "deleted", "--json")
    table = stored_video("videos", "deleted")
    restored = stored_video("videos", "restore", VIDEO)

    until = json.loads(deleted.stdout)["restorableUntil"]
    (one,) = json.loads(listed.stdout)["videos"]
    assert (one["id"], one["restorableUntil"]) == (VIDEO, until)
    assert one["reason"] == "user_request"
    assert VIDEO in table.stdout
    assert until in table.stdout
    assert restored.stdout == f"{VIDEO} is ready again\n"
    assert stored_video("videos", "show", VIDEO).status == 0
    assert json.loads(stored_video("videos", "deleted", "--json").stdout) == {
        "videos": [],
        "total": 0,
    }


def test_a_second_deletion_is_for_good(stored_video: Hv) -> None:
    told = stored_video("videos", "delete", VIDEO, "--keep-hours", "1")

    assert "can be restored until" in told.stdout
    assert stored_video("videos", "delete", VIDEO).stdout == f"{VIDEO} is deleted\n"
    refused = stored_video("videos", "restore", VIDEO)
    assert refused.status == 1
    assert "cannot be restored" in refused.stderr


@pytest.mark.parametrize(
    "reason", ["admin_action", "copyright_claim", "policy_violation"]
)
def test_a_reason_that_allows_no_stay_is_refused_with_hours(
    stored_video: Hv, reason: str
) -> None:
    words = ("--keep-hours", "5", "--reason", reason)

    refused = stored_video("videos", "delete", VIDEO, *words)

    assert refused.status == 2
    assert reason in refused.stderr
    assert stored_video("videos", "show", VIDEO).status == 0


def test_a_binned_video_has_no_certificate_since_a_day(stored_video: Hv) -> None:
    stored_video("videos", "delete", VIDEO, "--keep-hours", "5")

    made = stored_video("videos", "certificate", "--since", "1d", "--json")

    assert "can be restored" not in made.stderr
    assert VIDEO not in made.stdout
