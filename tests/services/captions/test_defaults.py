"""
The captions by machine that an environment's new videos get.
"""

from pathlib import Path

import pytest

from hvcore.domain.videos.caption_jobs import CaptionJobState
from hvcore.domain.videos.states import VideoState
from hvcore.domain.webhooks.events import EventKind
from hvcore.errors import InvalidParametersError
from hvcore.services.captions.defaults import CaptionDefault
from hvcore.services.captions.orders import NO_LONGER_POSSIBLE
from tests.services.captions.test_orders import processed, wishes
from tests.services.conftest import make_world
from tests.services.spoken_service import SpokenService, spoken_service


def set_default(spoken: SpokenService, languages: tuple[str, ...] | None) -> None:
    world = spoken.world
    world.services.caption_defaults.change(world.env, languages)


@pytest.mark.parametrize(
    ("default", "request_says", "expected"),
    [
        (None, None, ["auto"]),
        (("de", "es"), None, ["de", "es"]),
        ((), None, []),
        (("de",), (), []),
        ((), ("en",), ["en"]),
    ],
)
def test_an_environment_says_which_captions_its_new_videos_get(
    tmp_path: Path,
    default: tuple[str, ...] | None,
    request_says: tuple[str, ...] | None,
    expected: list[str],
) -> None:
    with spoken_service(tmp_path, {"HV_TRANSCRIBER__GENERATE": "auto"}) as spoken:
        set_default(spoken, default)
        said = request_says is not None
        video_id = processed(spoken, *(request_says or ()), says=said)

        spoken.world.run_tasks()

        assert wishes(spoken, video_id) == expected


@pytest.mark.parametrize("who", ["environment", "request"])
def test_captions_that_a_new_model_cannot_make_fail_with_a_reason(
    spoken: SpokenService, who: str
) -> None:
    if who == "environment":
        set_default(spoken, ("de", "en"))
    video_id = processed(spoken, "de", "en", says=who == "request")
    spoken.transcriber.languages = frozenset({"en"})

    spoken.world.run_tasks()

    assert spoken.world.video(video_id).state is VideoState.READY
    assert [one.language for one in spoken.tracks(video_id)] == ["en"]
    job = spoken.job(video_id, "de")
    assert (job.state, job.reason) == (CaptionJobState.FAILED, NO_LONGER_POSSIBLE)
    ended = EventKind.CAPTIONS_READY, EventKind.CAPTIONS_FAILED
    assert spoken.events(*ended) == [
        (EventKind.CAPTIONS_FAILED.value, NO_LONGER_POSSIBLE),
        (EventKind.CAPTIONS_READY.value, None),
    ]


def test_the_default_captions_of_an_environment_are_told(tmp_path: Path) -> None:
    with spoken_service(tmp_path, {"HV_TRANSCRIBER__GENERATE": "auto"}) as spoken:
        defaults, env = spoken.world.services.caption_defaults, spoken.world.env
        assert defaults.of(env) == CaptionDefault(
            languages=("auto",), is_inherited=True
        )

        changed = defaults.change(env, ("en", "de", "en"))

        assert changed == CaptionDefault(languages=("en", "de"), is_inherited=False)
        assert defaults.of(env) == changed
        defaults.change(env, None)
        assert defaults.of(env).is_inherited


def test_a_default_that_cannot_be_made_is_refused(spoken: SpokenService) -> None:
    defaults, env = spoken.world.services.caption_defaults, spoken.world.env

    with pytest.raises(InvalidParametersError, match="languages must be") as raised:
        defaults.change(env, ("en", "xx"))

    assert raised.value.http_status == 422
    assert defaults.of(env).is_inherited


def test_an_environment_without_captions_needs_no_transcriber(tmp_path: Path) -> None:
    with make_world(tmp_path, {}) as world:
        told = world.services.caption_defaults.change(world.env, ())

        assert told == CaptionDefault(languages=(), is_inherited=False)
