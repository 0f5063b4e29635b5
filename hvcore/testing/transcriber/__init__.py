"""
The promises of transcribers, as tests.

A plugin's tests inherit, and give a sound with speech::

    class TestAcmeTranscriber(TranscriberConformance):
        @pytest.fixture
        def transcriber(self): ...

        @pytest.fixture
        def unavailable(self): ...

        @pytest.fixture
        def speech(self): ...

The kit makes further sounds of it, such as speech after silence. ``tones`` stand for
speech where an imitation of a server only listens how loud a sound is.
"""

from hvcore.testing.transcriber.cues import CuePromises
from hvcore.testing.transcriber.endings import EndingPromises
from hvcore.testing.transcriber.failures import TranscriberFailurePromises
from hvcore.testing.transcriber.languages import LanguagePromises
from hvcore.testing.transcriber.sounds import (
    faint_noise,
    frames_of,
    silence,
    tones,
    write_sound,
)

__all__ = [
    "TranscriberConformance",
    "faint_noise",
    "frames_of",
    "silence",
    "tones",
    "write_sound",
]


class TranscriberConformance(
    CuePromises, LanguagePromises, EndingPromises, TranscriberFailurePromises
):
    """The promises of every transcriber about cues, languages, ends and failures."""
