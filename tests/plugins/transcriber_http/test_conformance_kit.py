"""The transcriber that asks a server keeps the promises of the port."""

import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from hvcore.clock import SystemClock
from hvcore.testing.transcriber import TranscriberConformance, tones, write_sound
from hvcore_transcriber_http.backend import HttpTranscriber
from hvcore_transcriber_http.options import HttpTranscriberOptions
from tests.plugins.transcriber_http.imitated_server import KEY, imitated_server


class Kit(TranscriberConformance):
    __test__ = False
    secrets = (KEY, "a-wrong-secret")
    has_inner_words = False
    # OpenAI's form has no probability of the language.
    says_how_sure = False

    @pytest.fixture
    def transcriber(self) -> Iterator[HttpTranscriber]:
        with imitated_server() as server:
            server.has_inner_words = self.has_inner_words
            yield made(server.url, key=KEY)

    @pytest.fixture
    def unavailable(self) -> Iterator[HttpTranscriber]:
        with socket.socket() as closed:
            closed.bind(("127.0.0.1", 0))
            url = f"http://127.0.0.1:{closed.getsockname()[1]}"
            yield made(url, key="a-wrong-secret", timeout_s=0.5)

    @pytest.fixture
    def speech(self, tmp_path: Path) -> Path:
        return write_sound(tmp_path / "speech.wav", tones(2_000)).path


class TestServerOfOpenAisForm(Kit):
    __test__ = True


@pytest.mark.every(3)
class TestServerWithWordsInSegments(Kit):
    __test__ = True
    has_inner_words = True


@pytest.mark.every(3)
class TestServerThatRefusesTheKey(Kit):
    """The kit, for a server that refuses a wrong key."""

    __test__ = True

    @pytest.fixture
    def unavailable(self) -> Iterator[HttpTranscriber]:
        with imitated_server() as server:
            yield made(server.url, key="a-wrong-secret")


def made(url: str, *, key: str, timeout_s: float = 10.0) -> HttpTranscriber:
    options = HttpTranscriberOptions(url=url, key=key, timeout_s=timeout_s, attempts=1)
    return HttpTranscriber(options=options, clock=SystemClock())
