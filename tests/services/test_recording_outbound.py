"""
Programs that embed the service see in their tests what it would send.
"""

import json

import pytest

from hvcore.domain.videos.states import VideoState
from hvcore.domain.webhooks.events import DOCUMENTED_KINDS
from hvcore.safe_http import TargetRefusedError
from hvcore.testing.recording_outbound import RecordingOutbound
from tests.services.conftest import World
from tests.support.network.outbound import MP4

FILM = "https://films.example.com/clip.mp4"
HOOK = "https://app.example.com/hook"


@pytest.fixture
def outbound(world: World) -> RecordingOutbound:
    made = RecordingOutbound(files={FILM: MP4})
    vars(world.services)["outbound"] = made
    return made


def test_a_webhook_is_noted_and_not_sent(
    world: World, outbound: RecordingOutbound
) -> None:
    world.services.webhooks.add("org_a", "live", HOOK, DOCUMENTED_KINDS)

    video_id = world.processed()
    world.run_everything()

    (sent,) = outbound.sent
    assert (sent.method, sent.url) == ("POST", HOOK)
    assert video_id in json.dumps(json.loads(sent.body))
    assert "webhook-signature" in {name.lower() for name in sent.headers}


def test_a_receiver_that_refuses_or_is_down_is_tried_again(
    world: World, outbound: RecordingOutbound
) -> None:
    world.services.webhooks.add("org_a", "live", HOOK, DOCUMENTED_KINDS)
    outbound.statuses[HOOK] = 500

    world.processed()
    world.run_everything()

    assert len(outbound.sent) > 1
    outbound.is_down = True
    before = len(outbound.sent)
    world.processed()
    world.run_everything()
    assert len(outbound.sent) > before


def test_a_file_in_memory_is_fetched(world: World, outbound: RecordingOutbound) -> None:
    found, missing = (
        world.services.fetching.fetch_video(
            world.env, url, world.file(), world.wanted()
        )
        for url in (FILM, "https://films.example.com/none.mp4")
    )

    world.run_everything()

    assert world.video(found.id).state is VideoState.READY
    assert world.video(missing.id).state is VideoState.FAILED
    assert {sent.url for sent in outbound.sent} >= {FILM}


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("ftp://example.com/x", "Only https"),
        ("https://user:secret@example.com/x", "user name"),
        ("nothing", "not an absolute address"),
    ],
)
def test_an_address_of_the_wrong_form_is_refused(
    outbound: RecordingOutbound, url: str, words: str
) -> None:
    with pytest.raises(TargetRefusedError, match=words):
        outbound.check(url, client="org_a")
    assert outbound.sent == []
