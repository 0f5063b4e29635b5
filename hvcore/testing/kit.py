"""
The base class of every kit: declared deviations, and a check of what each test leaves behind.

Each test runs in a time zone nine hours ahead of UTC and in a Turkish locale. It fails
if it leaves threads, files or the like behind. An author whose client library leaves
some declares it once::

    class TestAcmeQueue(QueueConformance):
        leftovers = {"threads": "the client keeps one for each address, for good"}
"""

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, ClassVar, Final, TypeVar

import pytest

from hvcore.testing.deviations import DeclaresDeviations
from hvcore.testing.hangs import fails_if_it_hangs
from hvcore.testing.leftovers import KINDS, MAY_GROW_ONCE, Growth, LeftoverWatch
from hvcore.testing.surroundings import far_away

TestT = TypeVar("TestT", bound=Callable[..., Any])
_GROWTH: Final = Growth()
_FOLDERS_OF_BROKEN_CALLS: Final = set[Path]()
"""The folders of tests that broke calls off: threads of such calls may open files there at any time."""
_MAY_LEAVE: Final = "may_leave"


def may_leave(*kinds: str) -> Callable[[TestT], TestT]:
    """Allow a test of a kit that interrupts calls to leave things of these kinds behind."""

    def excused(test: TestT) -> TestT:
        setattr(test, _MAY_LEAVE, kinds)
        return test

    return excused


class Kit(DeclaresDeviations):
    """
    The base class of every kit, with declared deviations and leftovers.

    Attributes:
        leftovers: What tests of this backend may leave behind, with a reason for each:
            "open files", "descriptors" (sockets and pipes), "threads", "children",
            "files" (beside the folder of the test), "directory" (the working one),
            "signals" (their handlers), "variables" (of the environment) and "settings"
            (of Python, such as the locale).
        hangs_after_s: The seconds after which a test fails, unless a plugin of pytest
            limits it; 0: never. With ``--hv-large`` no test has a limit.
    """

    leftovers: ClassVar[Mapping[str, str]] = {}
    hangs_after_s: ClassVar[float] = 300.0

    def __init_subclass__(cls) -> None:
        """
        Check the declared leftovers of a test class.

        Raises:
            TypeError: A kind of leftovers is unknown, or its reason is empty.
        """
        super().__init_subclass__()
        for kind, reason in cls.leftovers.items():
            if kind not in KINDS:
                known = ", ".join(KINDS)
                raise TypeError(
                    f"{cls.__name__}.leftovers: {kind!r} is none of {known}"
                )
            if not reason.strip():
                raise TypeError(f"{cls.__name__}.leftovers: say why, for {kind!r}")

    @pytest.fixture(autouse=True)
    def _a_watch_over_leftovers(
        self,
        request: pytest.FixtureRequest,
        tmp_path_factory: pytest.TempPathFactory,
    ) -> Iterator[None]:
        given = tmp_path_factory.getbasetemp()
        is_large = request.config.getoption("--hv-large", default=False)
        limit_s = 0.0 if is_large else self.hangs_after_s
        with fails_if_it_hangs(limit_s), far_away(given / "locales"):
            watch, failed = LeftoverWatch(given), request.session.testsfailed
            folders = set(given.iterdir())
            yield
            # An author's conftest may have asked for it before: it would end after this.
            patched = request.node.funcargs.get("monkeypatch")
            if isinstance(patched, pytest.MonkeyPatch):
                watch.expect_undone(patched.undo)
            # What is left has no owner, who could still close it.
            request.node.funcargs.clear()
            may_leave_kinds = getattr(request.function, _MAY_LEAVE, ())
            if may_leave_kinds:
                _FOLDERS_OF_BROKEN_CALLS.update(set(given.iterdir()) - folders)
            excused = {*self.leftovers, *may_leave_kinds}
            is_failed = request.session.testsfailed > failed
            try:
                left = (
                    {}
                    if is_failed
                    else watch.left(without=excused, not_in=_FOLDERS_OF_BROKEN_CALLS)
                )
            finally:
                watch.restore()
        told = [
            word
            for kind, found in left.items()
            if kind not in MAY_GROW_ONCE or _GROWTH.is_leak(type(self), kind, found)
            for word in (f"{kind}: {', '.join(sorted(found.values())[:5])}",)
        ]
        if told:
            pytest.fail(
                "The backend left something behind, or changed what is not its own: "
                f"{'; '.join(told)}. Close, end, remove or restore it, in the backend or "
                "in the fixture that makes it; what must stay is declared in `leftovers`.",
                pytrace=False,
            )
