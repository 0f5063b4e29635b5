"""
Answers that are kept for who must not wait.
"""

from collections.abc import Callable, Mapping
from pathlib import Path

import attrs
import pytest

from hvcore.files.changes_file import ChangesFile
from hvcore.persistence.fast_reads import answer_cache
from hvcore.persistence.fast_reads.answer_cache import AnswerCache, CacheMissError
from hvcore.persistence.fast_reads.readers import Query, Row
from hvcore.services.playback.changes import PlaybackChanges
from tests.persistence.samples import at_once

QUESTION = Query("SELECT …", ("wanted",))
LARGE = Query("SELECT a page", ("wanted",), is_remembered=False)
AN_HOUR_S = 3600.0


@attrs.define(eq=False)
class AskedServer:
    """
    A server that answers with how often it was asked, and who keeps that.
    """

    file: Path
    now_s: float = 0.0
    asked: int = 0
    meanwhile: Callable[[], None] = lambda: None
    rows: Callable[[int], list[Row]] = lambda number: [(number,)]
    cache: AnswerCache = attrs.field(init=False)

    def __attrs_post_init__(self) -> None:
        self.cache = AnswerCache(ChangesFile(self.file), lambda: self.now_s)

    def ask(self, name: str = "a", question: Query = QUESTION) -> list[Row]:
        return self.cache.answer(question, {"wanted": name}, self._answer)

    def recall(self, name: str = "a", question: Query = QUESTION) -> list[Row]:
        with self.cache.moment():
            return self.ask(name, question)

    def knows(self, name: str = "a") -> bool:
        before = self.asked
        try:
            self.recall(name)
        except CacheMissError:
            return False
        finally:
            assert self.asked == before
        return True

    def change(self) -> None:
        PlaybackChanges(file=self.file).publish()

    def _answer(self, _question: Query, _values: Mapping[str, object]) -> list[Row]:
        self.asked += 1
        answer = self.rows(self.asked)
        self.meanwhile()
        return answer


@pytest.fixture
def server(tmp_path: Path) -> AskedServer:
    made = AskedServer(tmp_path / "changes")
    # From now on what is asked is kept.
    assert not made.knows()
    return made


def test_nothing_is_kept_where_nobody_has_moments(tmp_path: Path) -> None:
    server = AskedServer(tmp_path / "changes")
    server.ask()
    assert not server.file.exists()
    assert not server.knows()


def test_moments_answer_with_what_was_asked_outside_of_them(
    server: AskedServer,
) -> None:
    assert server.ask() == [(1,)]
    assert server.recall() == [(1,)]
    assert not server.knows("b")
    # Outside of moments it is always asked anew.
    assert server.ask() == [(2,)]
    assert server.recall() == [(2,)]


def test_pages_are_not_kept(server: AskedServer) -> None:
    assert server.ask(question=LARGE) == [(1,)]
    with pytest.raises(CacheMissError):
        server.recall(question=LARGE)


@pytest.mark.parametrize(
    ("later_s", "knows"),
    [(0.0, True), (0.899, True), (0.9, False), (AN_HOUR_S, False), (-AN_HOUR_S, False)],
)
def test_an_answer_is_kept_for_less_than_a_second_by_any_clock(
    server: AskedServer, later_s: float, *, knows: bool
) -> None:
    asked_s = server.now_s
    server.ask()
    server.now_s = asked_s + 0.8
    # Left to who has it asked anew; from now on it is the others' turn.
    assert not server.knows()
    server.now_s = asked_s + later_s
    assert server.knows() is knows


def test_the_age_counts_from_before_the_question(server: AskedServer) -> None:
    def take_long() -> None:
        server.now_s += 0.6

    server.meanwhile = take_long
    server.ask()
    assert server.knows()
    server.now_s += 0.31
    assert not server.knows()


def test_an_answer_asked_for_since_the_moment_began_is_good(
    server: AskedServer,
) -> None:
    with server.cache.moment():
        server.now_s += 0.1
        at_once(lambda _: server.ask(), threads=1)
        assert server.ask() == [(1,)]


def test_no_answer_outlasts_a_change(server: AskedServer) -> None:
    server.ask("a")
    server.ask("b")
    server.change()
    assert not server.knows("a")
    server.ask("a")
    assert server.knows("a")
    assert not server.knows("b")


def test_an_answer_on_its_way_does_not_outlast_a_change(server: AskedServer) -> None:
    server.meanwhile = server.change
    server.ask()
    assert not server.knows()


def test_one_of_many_has_it_asked_anew_in_time(server: AskedServer) -> None:
    server.ask()
    server.now_s += 0.69
    assert server.knows()
    server.now_s += 0.02
    assert [server.knows() for _ in range(4)] == [False, True, True, True]
    server.ask()
    server.now_s += 0.69
    assert [server.knows() for _ in range(2)] == [True, True]


def test_an_answer_that_comes_late_replaces_no_newer_one(server: AskedServer) -> None:
    def meanwhile() -> None:
        server.meanwhile = lambda: None
        server.now_s += 0.1
        server.ask()

    server.meanwhile = meanwhile
    assert server.ask() == [(1,)]
    assert server.recall() == [(2,)]


def test_a_removed_row_is_known_to_be_gone(server: AskedServer) -> None:
    server.ask()
    server.rows = lambda _: []
    server.ask()
    assert server.recall() == []
    # What never was takes no room.
    server.ask("never")
    assert not server.knows("never")


def test_memory_is_bounded(
    server: AskedServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(answer_cache, "MAX_ANSWERS", 3)
    names = [str(number) for number in range(20)]
    for name in names:
        server.ask(name)
        assert server.knows(name)
    assert sum(server.knows(name) for name in names) <= 3


def test_nothing_is_kept_while_changes_cannot_be_seen(tmp_path: Path) -> None:
    (tmp_path / "folder").write_text("no folder")
    server = AskedServer(tmp_path / "folder" / "changes")
    assert not server.knows()
    assert server.ask() == [(1,)]
    assert not server.knows()


def test_time_goes_on_while_the_machine_sleeps() -> None:
    first = answer_cache.since_boot_s()
    assert 0 < first <= answer_cache.since_boot_s()
