"""
Captions and chapters are read the same here and in a process of its own.
"""

import os
import subprocess
import sys
import time

import attrs
import psutil
import pytest

from hvcore.domain.videos.captions import CaptionFormat
from hvcore.errors import InvalidParametersError, UnavailableError
from hvcore.processes.child_process import environ_of_module
from hvcore.services.videos import text_reading
from hvcore.services.videos.text_files import CAPTIONS
from hvcore.services.videos.text_reading import (
    LONG_BYTES,
    TextReading,
    reading_command,
)
from hvcore.throttling.turns import TurnSlots

ORG = "org_a"
CUE = "00:00:01.000 --> 00:00:02.000\nHi <b>you</b> & all: é\n\n"
VTT = f"WEBVTT\n\n{CUE}"
SRT = f"1\n{CUE}".replace(".", ",")
LONG_NOTE = "x -->\n\nNOTE\n" + "x" * 1_000 + "\n" + "y\n" * LONG_BYTES + "\n"
MARKUP = f"{CUE.strip()}\n<v {'&' * 1_990}>\n\n"


@pytest.fixture
def reading() -> TextReading:
    return TextReading()


@pytest.mark.parametrize("expected", [None, CaptionFormat.WEBVTT])
def test_long_captions_are_read_as_short_ones(
    reading: TextReading, expected: CaptionFormat | None
) -> None:
    short = reading.captions(ORG, VTT.encode(), expected)

    long = reading.captions(ORG, f"{VTT}{LONG_NOTE}".encode(), expected)

    assert attrs.evolve(long, left_out=[]) == attrs.evolve(short, left_out=[])
    assert long.cues == 1
    assert [told[:16] for told in long.left_out] == ["Left out, line 6"]


def test_long_chapters_are_read_as_short_ones(reading: TextReading) -> None:
    short = reading.chapters(ORG, VTT.encode())

    long = reading.chapters(ORG, f"{VTT}{LONG_NOTE}".encode())

    assert long.chapters == short.chapters
    assert [told[:16] for told in long.left_out] == ["Left out, line 6"]
    assert [one.title for one in short.chapters] == ["Hi you & all: é"]


def test_a_refusal_of_a_long_file_names_the_line(reading: TextReading) -> None:
    sent = f"{SRT}{LONG_NOTE}".encode()

    for read in (
        lambda: reading.captions(ORG, sent, CaptionFormat.WEBVTT),
        lambda: reading.chapters(ORG, sent),
    ):
        with pytest.raises(InvalidParametersError, match="line 1: ") as caught:
            read()
        assert [error.location for error in caught.value.errors] == ["body"]


def test_a_long_file_full_of_markup_costs_this_process_next_to_nothing(
    reading: TextReading,
) -> None:
    sent = ("WEBVTT\n\n" + MARKUP * 1_000).encode()
    took_s = []

    for _ in range(3):
        began_s = time.thread_time()
        with pytest.raises(InvalidParametersError, match="escaped"):
            reading.captions(ORG, sent, None)
        took_s.append(time.thread_time() - began_s)

    # The garbage of earlier tests may be collected meanwhile, but not each time.
    assert min(took_s) < 0.1, took_s


def test_a_child_that_reads_a_file_does_not_give_way_at_first() -> None:
    with subprocess.Popen(
        reading_command(CAPTIONS),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        start_new_session=True,
        env=environ_of_module(),
    ) as child:
        assert child.stdin
        assert child.stdout
        # More than a pipe holds: then it has begun to read.
        child.stdin.write(b"WEBVTT\n" * 100_000)
        niceness = psutil.Process(child.pid).nice()
        child.stdin.close()
        answer = child.stdout.read()

    assert b"refused" in answer
    assert niceness == os.nice(0)


def test_a_child_that_has_a_costly_file_gives_way_to_others() -> None:
    program = (
        "import os\n"
        "from hvcore.services.videos.text_files import be_nice_after\n"
        "before = os.nice(0)\n"
        "be_nice_after(0.05, 3)\n"
        "while os.nice(0) == before: pass\n"
        "print(os.nice(0) - before)\n"
    )
    command = [sys.executable, "-P", "-c", program]

    ended = subprocess.run(
        command, env=environ_of_module(), capture_output=True, check=True, timeout=60
    )

    assert ended.stdout == b"3\n"


def test_a_file_that_takes_too_long_is_refused(
    reading: TextReading, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(text_reading, "MOST_PROCESSOR_S", 1)
    # On a machine whose cores are busy, a nice process may not get a second in time.
    monkeypatch.setattr(text_reading, "NICENESS", 0)
    sent = ("WEBVTT\n\n" + f"{CUE.strip()}<v a>{'<v a>' * 300}\n\n" * 4_000).encode()

    with pytest.raises(InvalidParametersError, match="too long to read"):
        reading.captions(ORG, sent, None)


def test_a_file_that_needs_too_much_memory_ends_its_process_alone(
    reading: TextReading,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    monkeypatch.setattr(text_reading, "MOST_MEMORY_BYTES", 64 * 1024**2)
    # Or its time is over first, of which the log says nothing.
    monkeypatch.setattr(text_reading, "NICENESS", 0)

    with pytest.raises(UnavailableError, match="read in time"):
        reading.captions(ORG, b"WEBVTT\n" + b"ab\n" * 1_000_000, None)
    assert caplog.messages == ["a text file could not be read"]


def test_nobody_waits_for_a_place_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(text_reading, "WAITS_AT_MOST_S", 0.001)
    reading = TextReading(TurnSlots(0))

    with pytest.raises(UnavailableError, match="read in time"):
        reading.captions(ORG, f"{VTT}{LONG_NOTE}".encode(), None)
    assert reading.captions(ORG, VTT.encode(), None).cues == 1


def test_a_place_is_free_again_after_a_refusal(reading: TextReading) -> None:
    for _ in range(text_reading.PLACES + 1):
        with pytest.raises(InvalidParametersError, match="at most 2000 characters"):
            reading.captions(ORG, b"x" * LONG_BYTES * 2, None)
