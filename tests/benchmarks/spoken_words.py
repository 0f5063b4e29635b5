"""
Processor time of a page of a list by what is said in videos, asked of the database without HTTP.

The text is made: words as frequent as those of a language (Zipf), 150 of them a minute.
One organization has all the hours; some others have a thousandth each. Of SQLite it is the
time of this process, of PostgreSQL that of this process and of the server together, whose
parallel workers count as a mean.

Run: ``python -m tests.benchmarks.spoken_words [--hours N] [--postgresql] [--folder F]``;
10,000 hours take some minutes and 2 GB of disk, and later runs with the same folder nothing.
"""

import argparse
import functools
import itertools
import os
import random
import statistics
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Final

import attrs
import sqlalchemy as sa
from sqlalchemy.engine import Engine

from hvcore.domain.access.tenants import Environment, EnvironmentKind
from hvcore.domain.ids import EnvId, OrgId, new_public_id, new_video_id
from hvcore.domain.videos.catalog import VideoQuery
from hvcore.domain.videos.spoken_texts import SpokenText
from hvcore.domain.videos.states import VideoState
from hvcore.persistence import tables
from hvcore.persistence.engine import make_engine
from hvcore.persistence.migrate import migrate
from hvcore.persistence.rows import video_to_row
from hvcore.persistence.server_limits import ServerLimits
from hvcore.persistence.spoken.index import SPOKEN_INDEX, sign_of, word_sign
from hvcore.persistence.spoken.texts import write_said
from hvcore.persistence.videos.catalog import SqlVideoCatalog
from hvcore.persistence.videos.recount import recount
from tests.benchmarks.lists import connections, cpu_ms
from tests.persistence.samples import NOW, video
from tests.support.servers import (
    NOTHING_LASTS,
    PostgresqlServer,
    make_cluster,
    postgresql_binaries,
    server_folder,
)

MINUTES: Final = 10
"""The length of a video."""
WORDS: Final = 150 * MINUTES
WORDS_OF_CUE: Final = 9
VOCABULARY: Final = 50_000
PIECES: Final = 20_000
PIECES_OF_VIDEO: Final = 5
OTHERS: Final = 20
"""Further organizations, each with a thousandth of the hours."""
RUNS: Final = 15
PATIENT: Final = ServerLimits(statement_s=3_600, lock_s=10, network_s=10)
"""
For the index of all the text, which is made at once.
"""
ENV: Final = EnvId("live")
CASES: Final = {
    "a rare word": "w45000",
    "a word of one video in twenty": "w3000",
    "a common word": "w30",
    "the most common word": "w0",
    "two common words": "w30 w40",
    "a common and a rare word": "w30 w45000",
    "two words of one video in twenty": "w3000 w3001",
    "no such word": "nowhere",
}


def organizations() -> Iterator[OrgId]:
    """
    Yield the organizations: the large one, and the others.
    """
    yield OrgId("org_all")
    yield from (OrgId(f"org_{number}") for number in range(OTHERS))


@attrs.frozen
class Piece:
    """
    A few minutes of speech.
    """

    words: frozenset[str]
    lines: tuple[str, ...]


def pieces() -> list[Piece]:
    """
    Make the pieces that videos are made of: to draw each word anew takes too long.
    """
    chance = random.Random(62)  # noqa: S311 - the same text each time
    names = [f"w{rank}" for rank in range(VOCABULARY)]
    weights = list(itertools.accumulate(1 / (rank + 2.7) for rank in range(VOCABULARY)))
    made = []
    for _ in range(PIECES):
        said = chance.choices(names, cum_weights=weights, k=WORDS // PIECES_OF_VIDEO)
        cues = range(0, len(said), WORDS_OF_CUE)
        lines = tuple(" ".join(said[at : at + WORDS_OF_CUE]) for at in cues)
        made.append(Piece(frozenset(said), lines))
    return made


def texts() -> Iterator[tuple[str, SpokenText]]:
    """
    Yield the spoken texts of videos, each with its different words.
    """
    chance = random.Random(63)  # noqa: S311 - as above
    made = pieces()
    sign = functools.cache(word_sign)
    while True:
        chosen = chance.sample(made, PIECES_OF_VIDEO)
        lines = list(itertools.chain.from_iterable(one.lines for one in chosen))
        length_ms = MINUTES * 60_000
        starts_ms = [at * length_ms // len(lines) for at in range(len(lines))]
        words = frozenset().union(*(one.words for one in chosen))
        yield (
            " ".join(sorted(map(sign, words))),
            SpokenText(starts_ms=starts_ms, text="\n".join(lines)),
        )


def fill(engine: Engine, videos: int) -> None:
    """
    Put an organization with so many videos into the database, and others with as many together.
    """
    template = video_to_row(video(state=VideoState.READY)) | {"version": 1}
    said = texts()
    with engine.begin() as connection:
        # The index is made of all texts at once: that is several times as quick.
        SPOKEN_INDEX.drop(connection)
        for org_id in organizations():
            connection.execute(
                sa.insert(tables.organizations).values(id=org_id, created_at=NOW)
            )
            connection.execute(
                sa.insert(tables.environments).values(
                    org_id=org_id, id=ENV, name=ENV, kind="production", created_at=NOW
                )
            )
    for org_id in organizations():
        count = videos if org_id == "org_all" else -(-videos // 1_000)
        for first in range(0, count, 1_000):
            rows = [
                template
                | {
                    "id": new_video_id(),
                    "public_id": new_public_id(),
                    "org_id": org_id,
                    "env_id": ENV,
                    "created_at": NOW + timedelta(minutes=at),
                }
                for at in range(first, min(first + 1_000, count))
            ]
            spoken = [
                {
                    "video_id": row["id"],
                    "language": "en",
                    "version": "1",
                    "words": f"{sign_of(org_id, ENV)} {words}",
                    "said": write_said(one),
                }
                for row, (words, one) in zip(rows, said, strict=False)
            ]
            with engine.begin() as connection:
                connection.execute(sa.insert(tables.videos), rows)
                connection.execute(sa.insert(tables.spoken_texts), spoken)
    with engine.begin() as connection:
        if engine.dialect.name == "postgresql":
            connection.exec_driver_sql("SET LOCAL maintenance_work_mem = '1GB'")
        SPOKEN_INDEX.make(connection)
    recount(engine)
    with engine.connect() as connection:
        command = "VACUUM ANALYZE" if engine.dialect.name == "postgresql" else "ANALYZE"
        connection.execution_options(isolation_level="AUTOCOMMIT").exec_driver_sql(
            command
        )


@contextmanager
def kept_postgresql(folder: Path) -> Iterator[str]:
    """
    Run a PostgreSQL whose data stays in a folder, and yield the URL of its database.
    """
    data = folder / "postgresql"
    with server_folder() as (sockets, run_as):
        if not data.exists():
            data.mkdir(mode=0o700)
            if run_as is not None:
                # Which the server's user may pass through.
                folder.chmod(0o711)
                os.chown(data, run_as, -1)
            make_cluster(data, run_as)
        command: list[Path | str] = [
            postgresql_binaries() / "postgres",
            f"-D{data}",
            f"-k{sockets}",
            "-clisten_addresses=",
            *NOTHING_LASTS,
            # As a server has it that nobody has set up.
            "-cshared_buffers=128MB",
        ]
        server = PostgresqlServer(sockets, command, run_as)
        server.start()
        try:
            yield f"postgresql+psycopg://postgres@/postgres?host={sockets}"
        finally:
            server.stop()


def ended_ms(servers: Sequence[int]) -> float:
    """
    Return the processor time of children of servers that have ended, such as parallel workers.
    """
    told = [Path(f"/proc/{pid}/stat").read_text() for pid in servers]
    fields = [one.rpartition(")")[2].split() for one in told]
    ticks = sum(int(one[13]) + int(one[14]) for one in fields)
    return ticks * 1_000 / os.sysconf("SC_CLK_TCK")


def measure(catalog: SqlVideoCatalog, org_id: OrgId, spoken: str) -> tuple[str, float]:
    """
    Return the total of a list, and the median of the processor time of its first page.
    """
    env = Environment(
        id=ENV, org_id=org_id, name=ENV, kind=EnvironmentKind.PRODUCTION, created_at=NOW
    )
    query = VideoQuery(page=1, page_size=20, spoken=spoken)
    # The first ones open connections and read from the disk, and PostgreSQL's driver keeps
    # the plan of a statement that it has seen five times.
    for _ in range(7):
        page = catalog.page(env, query)
    servers = connections()
    ended_before = ended_ms(servers)
    used: list[float] = []
    for _ in range(RUNS):
        before = cpu_ms(servers)
        catalog.page(env, query)
        used.append(cpu_ms(servers) - before)
    ended = (ended_ms(servers) - ended_before) / RUNS
    more = "+" if page.has_more else ""
    return f"{page.total}{more}", statistics.median(used) + ended


def main(arguments: Sequence[str] | None = None) -> None:
    """
    Make the text, and print a line for each question.
    """
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--hours", type=int, default=10_000)
    parser.add_argument("--postgresql", action="store_true")
    parser.add_argument("--folder", type=Path, help="Keep the database here.")
    wanted = parser.parse_args(arguments)
    with ExitStack() as stack:
        folder = wanted.folder or Path(
            stack.enter_context(tempfile.TemporaryDirectory(prefix="hv-", dir="/tmp"))
        )
        url = f"sqlite:///{folder}/hvcore.db"
        if wanted.postgresql:
            url = stack.enter_context(kept_postgresql(folder))
        engine = make_engine(url, limits=PATIENT)
        stack.callback(engine.dispose)
        started = time.monotonic()
        migrate(engine)
        with engine.connect() as connection:
            has_text = connection.execute(sa.select(tables.spoken_texts.c.no)).first()
        if not has_text:
            fill(engine, wanted.hours * 60 // MINUTES)
        print(f"{wanted.hours:,} hours in {time.monotonic() - started:.0f} s")
        catalog = SqlVideoCatalog(engine)
        for org_id in (OrgId("org_all"), OrgId("org_7")):
            for name, spoken in CASES.items():
                total, used_ms = measure(catalog, org_id, spoken)
                print(f"{org_id:8} {name:34} {total:>7} {used_ms:6.1f} ms", flush=True)


if __name__ == "__main__":
    main()
