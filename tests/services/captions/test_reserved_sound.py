"""
What a transcription costs is reserved before the sound is made, and only what is heard is paid.
"""

import attrs
import pytest

from hvcore.domain.processing.speech import TranscriptionOrder
from hvcore.domain.processing.transcoding import TranscodeError
from hvcore.domain.videos.caption_jobs import CaptionJobState
from hvcore.errors import UnavailableError
from hvcore.services.captions.making import CaptionMaking
from hvcore.testing.memory_transcriber import MemoryTranscriber
from tests.services.spoken_service import SpokenService


class PayingTranscriber(MemoryTranscriber):
    """
    Has a limit in milliseconds of sound, which organizations use up together.
    """

    left_ms = 60_000
    paid_ms: dict[str, int]

    def reserve(self, order: TranscriptionOrder) -> None:
        if order.sound.duration_ms > self.left_ms:
            raise UnavailableError("The limit is reached.", retry_after_s=3_600)
        self._pay(order, order.sound.duration_ms)

    def release(self, order: TranscriptionOrder) -> None:
        self._pay(order, -order.sound.duration_ms)

    def _pay(self, order: TranscriptionOrder, sound_ms: int) -> None:
        self.left_ms -= sound_ms
        paid_ms = self.paid_ms.get(order.org_id, 0)
        self.paid_ms[order.org_id] = paid_ms + sound_ms


@pytest.fixture
def paying(spoken: SpokenService) -> PayingTranscriber:
    transcriber = PayingTranscriber()
    transcriber.paid_ms = {}
    services = spoken.world.services
    making: CaptionMaking = services.caption_making
    # Before its tasks are run for the first time.
    vars(services)["caption_making"] = attrs.evolve(making, transcriber=transcriber)
    return transcriber


def test_an_organization_pays_for_the_sound_that_is_heard(
    spoken: SpokenService, paying: PayingTranscriber
) -> None:
    video_id = spoken.ready()
    spoken.generate(video_id)

    spoken.world.run_tasks()

    # A window of ten seconds was cut where it is quiet.
    assert len(spoken.transcoder.spans) > 1
    duration_ms = round(spoken.world.video(video_id).duration_s * 1000)
    assert paying.paid_ms == {"org_a": duration_ms}


def test_no_sound_is_made_while_the_limit_of_spending_is_used_up(
    spoken: SpokenService, paying: PayingTranscriber
) -> None:
    video_id = spoken.ready()
    spoken.generate(video_id)
    paying.left_ms = 0

    spoken.world.run_tasks()

    assert spoken.transcoder.spans == []
    assert spoken.job(video_id).state is CaptionJobState.RUNNING


def test_sound_that_could_not_be_made_costs_nothing(
    spoken: SpokenService, paying: PayingTranscriber, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise TranscodeError("The sound could not be read.", log="")

    video_id = spoken.ready()
    spoken.generate(video_id)
    monkeypatch.setattr(spoken.transcoder, "sound", fail)

    spoken.world.run_tasks()

    assert paying.paid_ms == {"org_a": 0}
