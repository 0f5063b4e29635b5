"""
One key and one stranger make as much work as they can; nobody else notices.

What is measured is printed: ``pytest -s``. The machine's cores are shared with those who
make the work. So idle is measured while they send the same to a server that answers at
once, in place of the service.
"""

import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import attrs
import cattrs
import pytest
from PIL import Image

from hvcore_server.sending.retry_pacing import ONE_EVERY_S
from tests.e2e.clips import make_clip
from tests.hostile.storm.attacks import Attacked, Targets
from tests.hostile.storm.costly import FILE_BYTES, CostlyAttackers
from tests.hostile.storm.neighbour import Errand, Experience, percentile
from tests.hostile.storm.outcomes import wrong_outcomes
from tests.hostile.storm.site import StormSite, storm_site
from tests.hostile.test_storm import MORE_MEMORY_BYTES, SOON_S, USUAL, going_on
from tests.support.live import free_ports, until

pytestmark = [pytest.mark.services, pytest.mark.long, pytest.mark.timeout(600)]

STORM_S: Final = float(os.environ.get("HV_STORM_S", "60"))
IDLE_S: Final = STORM_S
"""As long: of few answers the slowest but one of a hundred says little."""
LOOK_EVERY_S: Final = 1.0
"""To read memory stops whoever is read for ms, and takes a tenth of a processor."""
ASK_EVERY_S: Final = 0.1
"""Whether the clip is ready, which is a matter of a second or two."""
CLIP_EVERY_S: Final = 7.0
"""A key has ten upload addresses a minute."""
MOST_TIMES_IDLE: Final = 3.0
MOST_TIMES_IDLE_OF_CLIP: Final = 2.0
ASKED_EACH_ROUND: Final = {"list": 3, "health": 1, "segment": 1}
"""Of what is in the errand of the neighbour: 99 of 100 needs hundreds of answers."""
PICTURE_SIDE_PX: Final = 6_000


@attrs.define
class Felt:
    """
    What the neighbour noticed, and what the service took.

    Attributes:
        clips_s: How long short clips took to be ready, ordered one after the other.
    """

    experience: Experience = attrs.field(factory=Experience)
    clips_s: list[float] = attrs.field(factory=list)
    most_memory_bytes: int = 0
    attacked: Attacked = attrs.field(factory=Attacked)

    @property
    def clip_s(self) -> float:
        """
        Return how long a short clip took, as the median.
        """
        return statistics.median(self.clips_s)

    def p99_ms(self, name: str) -> float:
        """
        Return what 99 of 100 answers of a kind stayed below.
        """
        return percentile(self.experience.took_ms[name], 99)


@contextmanager
def answering_at_once() -> Iterator[int]:
    """
    Run a server that answers at once until the block ends; give its port.
    """
    port = free_ports()
    with subprocess.Popen(
        [sys.executable, "-m", "tests.hostile.storm.quick_answers", str(port)],
        start_new_session=True,
    ) as process:
        try:
            yield port
        finally:
            process.kill()


def few_things(errand: Errand) -> Errand:
    """
    Return an errand for what has floors alone.
    """
    asks = [
        ask for ask in errand.asks for _ in range(ASKED_EACH_ROUND.get(ask.name, 0))
    ]
    return Errand(asks=asks)


def felt_during(site: StormSite, targets: Targets, clip: Path) -> Felt:
    """
    Attack, and be the neighbour meanwhile.
    """
    felt = Felt()
    with subprocess.Popen(
        [sys.executable, "-m", "tests.hostile.storm.costly"],
        start_new_session=True,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(json.dumps(cattrs.unstructure(targets)))
        process.stdin.close()
        with going_on(few_things(site.errand)) as felt.experience:
            began_s = looked_s = ordered_s = time.monotonic()
            ordered = site.neighbour.orders(clip, **USUAL)
            while process.poll() is None or not felt.clips_s:
                now_s = time.monotonic()
                if ordered and site.neighbour.is_ready(ordered):
                    felt.clips_s.append(time.monotonic() - ordered_s)
                    ordered = ""
                if not ordered and now_s - ordered_s >= CLIP_EVERY_S:
                    ordered_s = now_s
                    ordered = site.neighbour.orders(clip, **USUAL)
                if now_s - looked_s >= LOOK_EVERY_S:
                    looked_s = now_s
                    memory = site.memory_bytes()
                    felt.most_memory_bytes = max(felt.most_memory_bytes, memory)
                assert now_s - began_s < targets.seconds + 2 * SOON_S
                time.sleep(ASK_EVERY_S)
        felt.attacked = cattrs.structure(json.load(process.stdout), Attacked)
    return felt


def show(idle: Felt, storm: Felt) -> None:
    """
    Print the figures.
    """
    before_mb, after_mb = (one.most_memory_bytes / 1e6 for one in (idle, storm))
    lines = [
        f"memory {before_mb:.0f} -> {after_mb:.0f} MB at most",
        f"clip ready after {idle.clip_s:.1f} -> {storm.clip_s:.1f} s (medians)",
    ]
    for name, before in idle.experience.took_ms.items():
        after = storm.experience.took_ms.get(name, [0.0])
        lines.append(
            f"{name}: p50 {percentile(before, 50):.1f} -> {percentile(after, 50):.1f}, "
            f"p99 {percentile(before, 99):.1f} -> {percentile(after, 99):.1f} ms, "
            f"{len(before)} and {len(after)} answers"
        )
    for felt in (idle, storm):
        lines.append(f"attackers: {felt.attacked.processor_s:.1f} s of the processors")
        lines += [f"{name}: {got}" for name, got in felt.attacked.outcomes.items()]
    sys.stdout.write("\n" + "\n".join(lines) + "\n")


def test_nobody_notices_who_makes_as_much_work_as_they_can(
    tmp_path: Path, *, edge: bool, settings: dict[str, str]
) -> None:
    clip = make_clip(tmp_path / "clip.mp4", seconds=3, size="320x180")
    picture = tmp_path / "picture.png"
    Image.new("RGB", (PICTURE_SIDE_PX - 100, PICTURE_SIDE_PX), "navy").save(picture)
    with (
        storm_site(
            tmp_path, clip, edge=edge, sent_bytes=FILE_BYTES, **settings
        ) as site,
        answering_at_once() as quick_port,
    ):
        targets = attrs.evolve(site.targets, picture=str(picture), seconds=STORM_S)
        harmless = attrs.evolve(
            targets,
            api_port=quick_port,
            delivery_port=quick_port,
            seconds=IDLE_S,
            lands_within_s=0,
        )
        idle = felt_during(site, harmless, clip)
        storm = felt_during(site, targets, clip)

        show(idle, storm)
        assert idle.experience.failures == []
        assert storm.experience.failures == []
        outcomes = storm.attacked.outcomes
        assert wrong_outcomes(outcomes, CostlyAttackers.lands) == []
        refused = outcomes["sign-ins"]["429 page"]
        assert refused <= 1.5 * targets.seconds / ONE_EVERY_S
        for name in ASKED_EACH_ROUND:
            assert storm.p99_ms(name) <= MOST_TIMES_IDLE * idle.p99_ms(name), name
        assert storm.clip_s <= MOST_TIMES_IDLE_OF_CLIP * idle.clip_s
        more_bytes = storm.most_memory_bytes - idle.most_memory_bytes
        assert more_bytes < MORE_MEMORY_BYTES
        served = idle.experience.segments + storm.experience.segments
        until(lambda: site.counted() >= served, within_s=SOON_S, what="the counts")
