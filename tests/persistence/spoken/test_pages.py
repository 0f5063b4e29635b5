"""
Lists of videos by the words that are said in them.
"""

import itertools
from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Any

import attrs
import pytest
import sqlalchemy as sa
from sqlalchemy.engine import Engine

from hvcore.domain.access.tenants import Environment, EnvironmentKind
from hvcore.domain.ids import VideoId
from hvcore.domain.labels import Labels, tag_term
from hvcore.domain.videos.captions import CaptionTrack, Cue
from hvcore.domain.videos.catalog import SortBy, SortDir, VideoPage, VideoQuery
from hvcore.domain.videos.spoken_texts import spoken_text
from hvcore.domain.videos.states import VideoState
from hvcore.domain.videos.video import Video
from hvcore.persistence.spoken import hits, overwriting, pages, texts
from hvcore.persistence.spoken.index import (
    SPOKEN_INDEX,
    word_sign,
)
from hvcore.persistence.unit_of_work import SqlUnitOfWork
from hvcore.persistence.videos.catalog import SqlVideoCatalog
from tests.persistence.samples import ENV, NOW, ORG, OTHER_ORG, video

pytestmark = pytest.mark.services

HERE = Environment(
    id=ENV,
    org_id=ORG,
    name=ENV,
    kind=EnvironmentKind.DEVELOPMENT,
    created_at=NOW,
)


@attrs.frozen
class Films:
    """
    Videos with spoken texts, and the list of these videos.
    """

    uow: SqlUnitOfWork
    catalog: SqlVideoCatalog

    def add(self, *lines: str, language: str = "en", **changes: object) -> Video:
        made = video(**{"state": VideoState.READY, **changes})
        with self.uow.write() as work:
            work.videos.add(made)
            work.commit()
        self.say(made.id, *lines, language=language)
        return made

    def say(self, video_id: VideoId, *lines: str, language: str = "en") -> None:
        cues = [
            Cue(start_ms=1_000 + 20_000 * at, end_ms=20_000 * at + 5_000, text=line)
            for at, line in enumerate(lines)
        ]
        track = CaptionTrack(
            video_id=video_id,
            language=language,
            label="x",
            cues=len(cues),
            size_bytes=1,
            sha256="0" * 64,
            version="1",
            created_at=NOW,
        )
        with self.uow.write() as work:
            work.captions.put(track)
            work.spoken_texts.put(track, spoken_text(cues))
            work.commit()

    def page(self, spoken: str, **asked: object) -> VideoPage:
        query = VideoQuery(**{"page": 1, "page_size": 20, "spoken": spoken, **asked})  # type: ignore[arg-type]  # names of fields
        return self.catalog.page(HERE, query)

    def found(self, spoken: str, **asked: object) -> Sequence[VideoId]:
        return [one.id for one in self.page(spoken, **asked).videos]


@pytest.fixture
def films(uow: SqlUnitOfWork, engine: Engine) -> Films:
    return Films(uow, SqlVideoCatalog(engine))


def test_a_video_is_found_by_a_word_that_is_said_in_it(films: Films) -> None:
    said = films.add("Good morning everybody.", "The budget is approved.")
    films.add("The weather is fine.")

    page = films.page("budget")

    assert [one.id for one in page.videos] == [said.id]
    assert (page.total, page.has_more) == (1, False)
    (hit,) = page.spoken_hits[said.id]
    assert (hit.start_ms, hit.language) == (21_000, "en")
    assert [(part.text, part.is_match) for part in hit.snippet] == [
        ("The ", False),
        ("budget", True),
        (" is approved.", False),
    ]


def test_all_words_must_be_said_in_one_language(films: Films) -> None:
    both = films.add("alpha", "beta")
    films.add("alpha")
    parted = films.add("alpha", language="en")
    films.say(parted.id, "beta", language="de")

    assert films.found("beta ALPHA") == [both.id]
    assert films.found("alpha alphabet") == []
    assert films.found("alp") == []


def test_case_and_accents_do_not_matter_in_what_is_said(films: Films) -> None:
    said = films.add("Über die Straße nach Łódź, naïve Elève 東京都に行く")

    for spoken in (
        "uber",
        "ÜBER",
        "strasse",
        "naive",
        "eleve",
        "東京",
        "京都",
        "都",
        "東京都",
    ):
        assert films.found(spoken) == [said.id], spoken
        assert films.page(spoken).spoken_hits[said.id], spoken
    assert films.found("京東") == []


def test_signs_of_query_languages_are_no_operators(films: Films) -> None:
    said = films.add("good morning")

    for spoken in (
        *('"', "*", "-", '"a', "NEAR(x y)", "words:x", "=", "'", "\\", "a\0b"),
        *("%", "_%", ") OR (", "\ud800"),
    ):
        assert films.found(spoken) == [], spoken
        assert films.found(f"{spoken} morning") in ([], [said.id]), spoken
    assert films.found('"*- morning -*"') == [said.id]


def test_near_and_or_are_words_like_others(films: Films) -> None:
    said = films.add("near or not and")

    assert (
        films.found("NEAR") == films.found("or") == films.found("NOT AND") == [said.id]
    )
    assert films.found("near OR missing") == []


def test_spoken_words_of_another_organization_are_not_found(films: Films) -> None:
    films.add("secret", org_id=OTHER_ORG, env_id=ENV)

    assert films.found("secret") == []


def test_replaced_and_removed_captions_say_nothing_any_more(films: Films) -> None:
    said = films.add("former words")
    films.say(said.id, "newer words")

    assert films.found("former") == []
    assert films.found("newer") == [said.id]

    with films.uow.write() as work:
        work.captions.remove(said.id, "en")
        work.commit()

    assert films.found("newer") == []


def test_captions_beyond_what_is_searched_of_a_video_are_not_found(
    films: Films, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(texts, "MAX_VIDEO_SPOKEN_CHARS", 120)
    made = films.add("first " * 5)
    films.say(made.id, "second " * 10, language="de")
    films.say(made.id, "third", language="es")

    assert films.found("first") == films.found("third") == [made.id]
    assert films.found("second") == []
    # What is removed makes room, and the same captions anew need no more than before.
    with films.uow.write() as work:
        work.captions.remove(made.id, "en")
        work.commit()
    films.say(made.id, "second " * 10, language="de")
    films.say(made.id, "second " * 10, language="de")
    assert films.found("second") == [made.id]


def test_a_deleted_video_is_not_found_by_what_is_said(films: Films) -> None:
    said = films.add("farewell")
    with films.uow.write() as work:
        found = work.videos.find(said.id, for_update=True)
        assert found is not None
        found.state = VideoState.DELETED
        work.videos.save(found)
        work.commit()

    assert films.found("farewell") == []


@pytest.mark.parametrize(
    "change", [{"state": VideoState.DELETED}, {"is_public": False}], ids=str
)
def test_a_video_that_is_deleted_or_made_private_while_it_is_searched_is_not_listed(
    films: Films, engine: Engine, change: Mapping[str, Any]
) -> None:
    kept, changed = (films.add("farewell", is_public=True) for _ in range(2))
    is_done = False

    @sa.event.listens_for(engine, "before_cursor_execute")
    def change_it(*told: object) -> None:
        nonlocal is_done
        # Its id and its places are read already, and its name is not.
        if "description" in str(told[2]) and not is_done:
            is_done = True
            with films.uow.write() as work:
                found = work.videos.find(changed.id, for_update=True)
                assert found is not None
                for name, value in change.items():
                    setattr(found, name, value)
                work.videos.save(found)
                work.commit()

    assert films.found("farewell", is_public=True) == [kept.id]
    assert is_done


def index_bytes(engine: Engine) -> bytes:
    """
    Return the stored bytes of SQLite's index of spoken words.
    """
    with engine.connect() as connection:
        blocks = connection.exec_driver_sql(
            "SELECT block FROM video_search_spoken_data"
        )
        return b"".join(blocks.scalars())


def kept(word: str) -> bytes:
    """
    Return the end of the sign of a word: of its beginning, an index keeps what differs.
    """
    return word_sign(word)[-6:].encode()


def test_erased_videos_leave_no_words_in_the_index(
    films: Films, engine: Engine
) -> None:
    other = films.add("welcome")
    said = films.add("farewell")
    with films.uow.write() as work:
        found = work.videos.find(said.id, for_update=True)
        assert found is not None
        found.state = VideoState.DELETED
        work.videos.save(found)
        erased = work.personal_data.erase(found, spares_untold=False)
        work.commit()

    assert erased["spoken_texts.said"] == erased["spoken_texts.words"] == 1
    with engine.connect() as connection:
        texts = connection.exec_driver_sql("SELECT video_id FROM spoken_texts")
        assert texts.scalars().all() == [other.id]
    if engine.dialect.name == "sqlite":
        assert kept("farewell") in index_bytes(engine)
        overwrite(films)
        assert kept("farewell") not in index_bytes(engine)
        assert kept("welcome") in index_bytes(engine)
    assert films.found("welcome") == [other.id]


def overwrite(films: Films) -> None:
    has_more = True
    while has_more:
        with films.uow.write() as work:
            has_more = work.spoken_texts.overwrite_removed_words()
            work.commit()


def test_words_of_replaced_captions_are_overwritten_among_many(
    films: Films, engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    if engine.dialect.name == "postgresql":
        with films.uow.read() as work:
            assert not work.spoken_texts.has_removed_words()
        return
    monkeypatch.setattr(overwriting, "_MERGE", overwriting._MERGE.replace("200", "1"))
    made = [films.add(f"former{at}", *map(str, range(800))) for at in range(5)]
    for one in made:
        films.say(one.id, "newer")

    overwrite(films)

    stored = index_bytes(engine)
    assert not any(kept(f"former{at}") in stored for at in range(5))
    assert len(films.found("newer")) == 5
    with films.uow.read() as work:
        assert not work.spoken_texts.has_removed_words()


def filled(films: Films) -> list[Video]:
    return [
        films.add(
            "common words" if number % 2 else "other words",
            name=f"Film {number % 3}",
            created_at=NOW + timedelta(minutes=number),
            is_public=number % 4 == 1,
            labels=Labels(tags=("red",)) if number % 3 else Labels(),
        )
        for number in range(24)
    ]


@pytest.fixture(params=["few", "walked", "all"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """
    Each of the ways in which a page is read.
    """
    if request.param != "few":
        monkeypatch.setattr(pages, "FEW", 3)
        monkeypatch.setattr(pages, "FEW_ON_SERVER", 3)
        monkeypatch.setattr(pages, "LOOKED_INTO", 2)
        monkeypatch.setattr(pages, "COUNTED", 4)
        monkeypatch.setattr(pages, "MAX_COUNTED", 11)
        monkeypatch.setattr(pages, "FIRST_STEP", 2)
        monkeypatch.setattr(
            pages, "FARTHEST", 1_000 if request.param == "walked" else 1
        )
    return str(request.param)


def test_found_videos_have_the_order_and_the_pages_of_the_list(
    films: Films, way: str
) -> None:
    made = filled(films)
    said = {one.id for at, one in enumerate(made) if at % 2}
    for sort_by, sort_dir in itertools.product(SortBy, SortDir):
        order = {"sort_by": sort_by, "sort_dir": sort_dir}
        whole = films.catalog.page(
            HERE,
            VideoQuery(page=1, page_size=100, sort_by=sort_by, sort_dir=sort_dir),
        )
        expected = [one.id for one in whole.videos if one.id in said]

        found = [
            films.page("common", page=at, page_size=5, **order) for at in (1, 2, 3, 4)
        ]

        assert [one.id for page in found for one in page.videos] == expected
        assert [page.has_next for page in found] == [True, True, False, False]
        full = films.page("common", page=2, page_size=6, **order)
        assert (len(full.videos), full.has_next) == (6, False)
        assert {(page.total, page.has_more) for page in found} == {
            (12, False) if way == "few" else (11, True)
        }


def test_pages_of_what_is_said_end_where_the_total_ends(
    films: Films, way: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    filled(films)
    monkeypatch.setattr(pages, "MAX_COUNTED", 5)

    found = [films.page("common", page=at, page_size=3) for at in (1, 2, 3)]

    assert [len(page.videos) for page in found] == [3, 3, 0], way
    assert [page.has_next for page in found] == [True, False, False]
    assert {(page.total, page.has_more) for page in found} == {(5, True)}
    # A bulk change asks for one page of all.
    query = VideoQuery(page=1, page_size=100, spoken="common")
    assert len(films.catalog.ids(HERE, query).ids) == 12


def test_other_filters_hold_beside_what_is_said(films: Films, way: str) -> None:
    made = filled(films)
    said = [one for at, one in enumerate(made) if at % 2][::-1]
    terms = frozenset([tag_term("red")])
    day = NOW.date()

    for asked, wanted in (
        ({"search": "film 1"}, [one for one in said if one.name == "Film 1"]),
        ({"terms": terms}, [one for one in said if one.labels.tags]),
        ({"is_public": True}, [one for one in said if one.is_public]),
        ({"state": VideoState.READY}, said),
        ({"state": VideoState.FAILED}, []),
        ({"since": day + timedelta(days=1)}, []),
        ({"since": day, "until": day + timedelta(days=1)}, said),
        ({"external_id": "x"}, []),
    ):
        assert films.found("common", **asked) == [one.id for one in wanted], asked  # type: ignore[arg-type]  # names of fields
        assert films.catalog.ids(
            HERE, VideoQuery(page=1, page_size=20, spoken="common", **asked)
        ).ids == tuple(one.id for one in wanted)  # type: ignore[arg-type]  # names of fields


def test_spoken_words_are_found_without_the_index(films: Films, engine: Engine) -> None:
    said = films.add("budget")
    films.add("secret", org_id=OTHER_ORG, env_id=ENV)
    with engine.begin() as connection:
        SPOKEN_INDEX.drop(connection)

    assert films.found("budget") == [said.id]
    assert films.found("secret") == []


def test_the_index_of_spoken_words_is_used_from_its_repair_on(
    films: Films, engine: Engine
) -> None:
    said = films.add("budget")
    for _ in range(2):
        with engine.begin() as connection:
            SPOKEN_INDEX.drop(connection)
        assert films.found("budget") == [said.id]
        assert SPOKEN_INDEX.repair(engine)
        assert films.found("budget") == [said.id]


def test_without_the_index_texts_of_others_do_not_count(
    films: Films, engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    said = films.add("budget")
    with engine.begin() as connection:
        SPOKEN_INDEX.drop(connection)
    monkeypatch.setattr(pages, "FEW", 1)
    asked: list[str] = []

    @sa.event.listens_for(engine, "before_cursor_execute")
    def keep(*told: object) -> None:
        asked.append(str(told[2]))

    assert films.found("budget") == [said.id]
    alone = len(asked)
    for _ in range(3):
        films.add("budget", org_id=OTHER_ORG, env_id=ENV)
    asked.clear()

    assert films.found("budget") == [said.id]
    assert len(asked) == alone


def test_of_a_video_with_captions_in_many_languages_the_first_hits_are_shown(
    films: Films,
) -> None:
    said = films.add("taxi one", "nothing", "taxi two", language="en")
    films.say(said.id, "Taxi", language="de")
    films.say(said.id, "taxi taxi", "x", "taxi", "x", "taxi", language="fr")

    page = films.page("taxi")

    assert page.total == 1
    hits = page.spoken_hits[said.id]
    assert [(hit.language, hit.start_ms) for hit in hits] == [
        ("de", 1_000),
        ("en", 1_000),
        ("en", 41_000),
    ]


def test_places_are_looked_for_in_a_few_texts_at_a_time(
    films: Films, engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hits, "TEXTS_AT_ONCE", 2)
    made = [films.add("taxi") for _ in range(5)]
    films.say(made[0].id, "taxi", language="de")
    asked: list[str] = []

    @sa.event.listens_for(engine, "before_cursor_execute")
    def keep(*told: object) -> None:
        if ".said" in str(told[2]):
            asked.append(str(told[2]))

    page = films.page("taxi")

    assert set(page.spoken_hits) == {one.id for one in made}
    assert len(asked) == 3


@pytest.mark.parametrize(
    ("limit", "most"), [("TEXTS_OF_PAGE", 4), ("WORDS_OF_PAGE_BYTES", 100)]
)
def test_videos_beyond_the_effort_of_a_page_have_no_places(
    films: Films, monkeypatch: pytest.MonkeyPatch, limit: str, most: int
) -> None:
    """
    Texts in which nothing is found are an effort, too; their words have 30 bytes.
    """
    monkeypatch.setattr(hits, limit, most)
    monkeypatch.setattr(hits, "TEXTS_AT_ONCE", 1)
    for _ in range(4):
        films.say(films.add("taxi").id, "bus", language="aa")

    page = films.page("taxi")

    assert len(page.videos) == 4
    assert set(page.spoken_hits) == {one.id for one in page.videos[:2]}


def test_postgresql_reads_no_whole_table_of_spoken_texts(
    films: Films, engine: Engine, way: str
) -> None:
    if engine.dialect.name != "postgresql":
        pytest.skip("SQLite has no planner that could choose to.")
    for number in range(6):
        films.add("taxi", created_at=NOW + timedelta(minutes=number))
    plans: list[str] = []

    @sa.event.listens_for(engine, "before_cursor_execute")
    def explain(connection: sa.Connection, *told: object) -> None:
        if "@@" in str(told[1]):
            driver = connection.connection.driver_connection
            assert driver is not None
            rows = driver.execute(f"EXPLAIN {told[1]}", told[2]).fetchall()
            plans.append("\n".join(row[0] for row in rows))

    films.found("taxi", page_size=2)

    assert plans
    for plan in plans:
        assert "ix_videos_search_spoken" in plan, plan
        assert "Seq Scan on spoken_texts" not in plan, plan


def test_postgresql_keeps_the_plan_of_a_search_in_what_is_said(
    films: Films, engine: Engine
) -> None:
    if engine.dialect.name != "postgresql":
        pytest.skip("SQLite's plans are made in no time.")
    films.add("taxi")

    # After so many times, psycopg has a statement prepared.
    for _ in range(7):
        films.found("taxi")

    with engine.connect() as connection:
        asked = "SELECT generic_plans FROM pg_prepared_statements WHERE statement ~ %s"
        (plans,) = connection.exec_driver_sql(asked, ("@@",)).scalars()
        assert plans > 0


@pytest.mark.parametrize(
    "change",
    ["UPDATE video_captions SET version = '2'", "DELETE FROM video_captions"],
)
def test_words_of_captions_that_an_older_version_changes_are_not_found(
    films: Films, engine: Engine, change: str
) -> None:
    films.add("former words")
    # Which knows no spoken texts.
    with engine.begin() as connection:
        connection.exec_driver_sql(change)

    assert films.found("former") == []
    with engine.connect() as connection:
        assert not connection.exec_driver_sql("SELECT * FROM spoken_texts").all()


def test_captions_that_stay_the_same_keep_their_spoken_text(
    films: Films, engine: Engine
) -> None:
    said = films.add("words")
    with engine.begin() as connection:
        connection.exec_driver_sql("UPDATE video_captions SET label = 'Other'")

    assert films.found("words") == [said.id]
