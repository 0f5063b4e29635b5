"""
The audit log of what programs change by the API.
"""

from typing import Any

import attrs
import pytest

from hvcore.domain.access.audit import ActorKind, AuditEntry
from hvcore.domain.access.keys import KeyType
from hvcore.services.access.audit import record
from hvcore.services.access.keys import KeyWanted
from tests.support.http.world import ENV, ORG, Key, World, body_of

VIDEOS = "/v1/videos"
ENVIRONMENT = f"/v1/api/{ORG}/environments/{ENV}/videos"


@attrs.frozen(kw_only=True)
class Program:
    """
    A program with a key called ``Nightly import``.
    """

    world: World
    key: Key
    actor: str

    def call(self, method: str, path: str, json: object = None, **more: Any) -> Any:  # noqa: ANN401 - a result
        """
        Send a request that succeeds.
        """
        answer = self.world.call(method, path, json=json, key=self.key, **more)
        assert answer.status_code < 300, answer.text
        return body_of(answer)

    def entries(self) -> list[AuditEntry]:
        """
        Return the entries of programs in the audit log, the oldest first.
        """
        audit = self.world.services.audit
        return list(reversed(audit.latest(ORG, limit=1000, by=ActorKind.PROGRAM)))

    def actions(self) -> list[str]:
        """
        Return the actions of programs in the audit log, the oldest first.
        """
        return [entry.action for entry in self.entries()]


@pytest.fixture
def program(api: World) -> Program:
    wanted = KeyWanted(
        type=KeyType.ENVIRONMENT, org_id=ORG, env=ENV, name="Nightly import"
    )
    created = api.services.keys.create(wanted)
    return Program(
        world=api, key=Key(value=created.value), actor=f"key:{created.key.id}"
    )


def test_the_audit_log_says_which_key_unpublished_a_video(program: Program) -> None:
    video = program.world.ready()

    program.call("PATCH", f"{VIDEOS}/{video}", {"allowPublicAccess": False})

    (entry,) = program.entries()
    assert (entry.actor, entry.actor_name) == (program.actor, "Nightly import")
    assert (entry.action, entry.subject) == ("video.change", video)
    assert entry.details["changed"] == ["allowPublicAccess"]
    assert entry.details["public"] is False
    assert entry.is_by_program


def test_each_change_of_a_video_by_a_key_is_in_the_audit_log(program: Program) -> None:
    video = f"{VIDEOS}/{program.world.ready()}"

    program.call("PATCH", video, {"videoName": "New"})
    share = program.call("POST", f"{video}/share", {})
    program.call("DELETE", f"{video}/shares/{share['shareID']}")
    key = program.call("POST", f"{video}/edge-keys", {})
    program.call("DELETE", f"{video}/edge-keys/{key['edgeKey']}")
    program.call("DELETE", f"{video}?keepHours=2")
    program.call("POST", f"{video}/restore")
    program.call("DELETE", video)

    assert program.actions() == [
        "video.change",
        "share.create",
        "share.revoke",
        "edge-key.create",
        "edge-key.revoke",
        "video.delete",
        "video.restore",
        "video.delete",
    ]


def test_reads_and_changes_that_change_nothing_leave_no_entry(program: Program) -> None:
    video = f"{VIDEOS}/{program.world.ready()}"

    program.call("GET", VIDEOS)
    program.call("GET", video)
    program.call("GET", f"{video}/signed-url")
    program.call("PATCH", video, {})

    assert program.actions() == []


def test_an_upload_is_one_entry(program: Program) -> None:
    granted = program.call("POST", f"{VIDEOS}/upload-url", {"fileName": "clip.mp4"})
    program.world.upload(granted["bucketPath"])

    assert program.actions() == ["video.upload"]


def test_a_file_that_is_processed_is_one_entry(program: Program) -> None:
    granted = program.call(
        "POST", f"{ENVIRONMENT}/upload-url", {"filename": "clip.mp4", "fileSize": 5}
    )
    program.world.upload(granted["bucketPath"])
    wanted = {
        "gcsPath": granted["bucketPath"],
        "videoQuality": "standard",
        "allowPublicAccess": False,
    }
    program.call("POST", f"{ENVIRONMENT}/process", wanted)

    (entry,) = program.entries()
    assert entry.action == "video.process"
    program.call("GET", f"{VIDEOS}/{entry.subject}")


def test_a_refused_change_leaves_no_entry(program: Program) -> None:
    video = f"{VIDEOS}/{program.world.ready()}"

    answer = program.world.call(
        "PATCH", video, json={"videoName": "x" * 5000}, key=program.key
    )

    assert answer.status_code >= 400
    assert program.actions() == []


def test_tasks_that_follow_a_request_are_not_recorded_under_its_key(
    program: Program,
) -> None:
    program.call("GET", VIDEOS)
    program.world.get(f"{VIDEOS}/none", key=program.key)

    with program.world.services.uow.write() as work:
        record(work, "video.repair", "vid", org_id=None)
        work.commit()

    (entry,) = program.world.services.audit.latest(None, limit=1)
    assert (entry.actor, entry.is_by_program) == ("service", False)
