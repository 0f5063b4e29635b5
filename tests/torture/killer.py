"""
Who ends processes at random, always the same ones for the same seed and luck.
"""

import random
import signal
import time
from collections import Counter
from contextlib import suppress
from pathlib import Path
from typing import Final

import attrs
import psutil

from tests.support.hv_processes import RunningHv
from tests.support.live import LiveService, start_up, words_of
from tests.torture.debts import WORKERS, Debts

KINDS: Final[dict[str, int]] = {
    "up": 1,
    "api": 2,
    "delivery": 2,
    "encode": 6,
    "light": 4,
    "sweep": 3,
    "queue": 2,
    "ffmpeg": 14,
}
"""Which processes there are, and how often each is chosen; few encode at a time."""
FREEZABLE: Final = ("encode", "light", "sweep", "api", "delivery")
FROZEN_FOR_S: Final = 23.0
"""Longer than a lease: who wakes up is a worker that others took for dead."""
WAITS_FOR_WORK_S: Final = 0.8
_ENDS: Final = (signal.SIGKILL,) * 7 + (signal.SIGTERM,)


@attrs.define
class Frozen:
    """
    A process that was stopped, and when it goes on.
    """

    process: psutil.Process
    until: float


def kind_of(process: psutil.Process) -> str | None:
    """
    Tell what a process of the service is.
    """
    try:
        words, name = words_of(process), process.name()
    except psutil.Error:
        return None
    for kind in ("encode", "light"):
        if "worker" in words and kind in words:
            return kind
    for kind in ("sweep", "api", "delivery", "up"):
        if kind in words and any(
            word in words for word in ("hv", "hvcore_cli", "gunicorn:")
        ):
            return kind
    if "valkey" in name or "redis" in name:
        return "queue"
    if "ffmpeg" in name or "bwrap" in name:
        return "ffmpeg"
    return None


@attrs.define
class Killer:
    """
    Ends processes of a service, and starts ``hv up`` again as an init would.

    Attributes:
        dealt: How many blows, by kind and signal.
    """

    service: LiveService
    debts: Debts
    seed: int
    freezes: bool = True
    dealt: Counter[str] = attrs.field(factory=Counter)
    _random: random.Random = attrs.field(init=False)
    _frozen: list[Frozen] = attrs.field(factory=list)
    _died_at_points: int = 0

    def __attrs_post_init__(self) -> None:
        self._random = random.Random(self.seed)  # noqa: S311 - to be repeated

    @property
    def blows(self) -> int:
        """
        How many so far.
        """
        return sum(self.dealt.values())

    def is_up(self) -> bool:
        """
        Tell whether ``hv up`` runs.
        """
        return self.service.supervisor.poll() is None

    def strike(self) -> bool:
        """
        End or freeze one process; False if there was none of the kind chosen.
        """
        (kind,) = self._random.choices(list(KINDS), list(KINDS.values()))
        number = self._random.choice(_ENDS)
        freezes = self.freezes and self._random.random() < 0.06
        place = self._random.random()
        there = self._there(kind)
        if not there:
            return False
        victim = sorted(there, key=lambda p: p.pid)[int(place * len(there))]
        if freezes and kind in FREEZABLE and not self._frozen:
            number = signal.SIGSTOP
            self._frozen.append(Frozen(victim, time.monotonic() + FROZEN_FOR_S))
        self.debts.struck(kind, victim)
        with suppress(psutil.Error):
            victim.send_signal(number)
            self.dealt[f"{kind} {signal.Signals(number).name}"] += 1
        return True

    def look_after(self) -> None:
        """
        Thaw who was frozen for long enough; start ``hv up`` again if it ended.
        """
        now = time.monotonic()
        self._note_deaths_at_points()
        for frozen in list(self._frozen):
            if now >= frozen.until:
                self._thaw(frozen)
        if not self.is_up():
            self.debts.touched("up")
            self.service.supervisor = start_up(
                self.service.environ,
                self.service.data,
                self.service.port,
                self.service.words,
                loads_anew=self.service.loads_anew,
            )

    def rest(self) -> None:
        """
        Thaw everybody.
        """
        for frozen in list(self._frozen):
            self._thaw(frozen)

    def _there(self, kind: str) -> list[psutil.Process]:
        # An encoder lives for less than a second, and what is idle loses nothing.
        deadline = time.monotonic() + WAITS_FOR_WORK_S
        while True:
            there = [p for p in family(self.service.supervisor) if kind_of(p) == kind]
            busy = there
            if kind in WORKERS:
                holders = self.debts.holders()
                busy = [p for p in there if str(p.pid) in holders]
            is_worth_waiting = kind == "ffmpeg" or kind in WORKERS
            if busy or not is_worth_waiting or time.monotonic() > deadline:
                return busy or there
            time.sleep(0.03)

    def _note_deaths_at_points(self) -> None:
        # Who dies there is no blow, but missing just the same; and hv up waits for
        # longer each time, before it starts again who dies again and again.
        folder = self.service.environ.get("HV_FAILPOINTS_DIR")
        died = len(list(Path(folder).iterdir())) if folder else 0
        if died > self._died_at_points:
            self._died_at_points = died
            self.debts.touched("up")

    def _thaw(self, frozen: Frozen) -> None:
        self._frozen.remove(frozen)
        with suppress(psutil.Error):
            self.debts.touched(kind_of(frozen.process) or "")
            # It checks that the number is still the same process.
            frozen.process.resume()


def family(supervisor: RunningHv) -> list[psutil.Process]:
    """
    Return ``hv up`` and everything that it has started.
    """
    try:
        root = psutil.Process(supervisor.pid)
        return [root, *root.children(recursive=True)]
    except psutil.Error:
        return []
