"""Store jobs, queues, presets, templates and tags in SQLite: in a file, or in memory."""

import json
import sqlite3
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import attrs
import cattrs

from hvcore_mediaconvert_local.jobs import LocalJob, LocalJobStatus
from hvcore_mediaconvert_local.wire import JsonObject

_TABLES: Final = """
CREATE TABLE IF NOT EXISTS jobs (
    number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, queue TEXT NOT NULL,
    status TEXT NOT NULL, token TEXT NOT NULL, created_at_s REAL NOT NULL,
    document TEXT NOT NULL);
CREATE INDEX IF NOT EXISTS jobs_by_status ON jobs (status, number);
CREATE INDEX IF NOT EXISTS jobs_by_token ON jobs (token, number) WHERE token <> '';
CREATE TABLE IF NOT EXISTS things (
    kind TEXT NOT NULL, name TEXT NOT NULL, document TEXT NOT NULL,
    PRIMARY KEY (kind, name));
"""
_PATIENCE_S: Final = 2
_CONVERTER: Final = cattrs.Converter()


@attrs.frozen(kw_only=True)
class JobQuestion:
    """
    Hold the filter, order and page of a list of jobs.

    Attributes:
        queue: The name of the queue; "" for all queues.
        status: The status of the jobs; None for any.
        input_part: A part of the address of the job's input; "" for any input.
        after: The number of the last job on the preceding page; None for the first page.
        limit: The most jobs on a page.
    """

    queue: str = ""
    status: LocalJobStatus | None = None
    input_part: str = ""
    is_ascending: bool = False
    after: int | None = None
    limit: int = 20


class JobStore:
    """
    Store jobs, queues, presets, templates and tags; thread-safe.

    Each change is one transaction.

    Args:
        path: The SQLite file; None to store everything in memory.

    Raises:
        sqlite3.Error: The file cannot be used.
    """

    def __init__(self, path: Path | None) -> None:
        self._lock = threading.RLock()
        self._db = sqlite3.connect(
            path or ":memory:",
            # A server that was killed holds the file for a moment.
            timeout=_PATIENCE_S,
            check_same_thread=False,
            isolation_level=None,
        )
        # Two servers would both work on every job.
        self._db.execute("PRAGMA locking_mode = EXCLUSIVE")
        self._db.executescript(_TABLES)

    def add(self, make: Callable[[int], LocalJob]) -> LocalJob:
        """Store a new job, which ``make`` creates for its number, and return it."""
        with self.changing():
            (last,) = self._db.execute("SELECT max(number) FROM jobs").fetchone()
            job = make((last or 0) + 1)
            self._db.execute(
                "INSERT INTO jobs VALUES (?, ?, ?, ?, ?, ?, ?)",
                (
                    *(job.number, job.id, job.queue, job.status, job.token),
                    *(job.created_at_s, _document(job)),
                ),
            )
        return job

    def change(
        self, job_id: str, change: Callable[[LocalJob], LocalJob]
    ) -> LocalJob | None:
        """
        Replace a job by a changed one, unless it has ended.

        Returns:
            The job as it is now; None if there is none.
        """
        with self.changing():
            job = self.job(job_id)
            if job is None or job.status.is_final:
                return job
            changed = change(job)
            self._db.execute(
                "UPDATE jobs SET status = ?, document = ? WHERE id = ?",
                (changed.status, _document(changed), job_id),
            )
        return changed

    def job(self, job_id: str) -> LocalJob | None:
        """Return the job with an id; None if there is none."""
        return next(self._jobs("WHERE id = ?", (job_id,)), None)

    def latest_of_token(self, token: str) -> LocalJob | None:
        """Return the last job that was created with a client request token, or None."""
        return next(
            self._jobs("WHERE token = ? ORDER BY number DESC LIMIT 1", (token,)), None
        )

    def with_status(self, *statuses: LocalJobStatus) -> list[LocalJob]:
        """Return all jobs with one of some statuses, oldest first."""
        marks = ", ".join("?" * len(statuses))
        return list(self._jobs(f"WHERE status IN ({marks}) ORDER BY number", statuses))

    def count(self, status: LocalJobStatus, queue: str = "") -> int:
        """Return the number of jobs with a status, in one queue or in all."""
        with self._lock:
            (found,) = self._db.execute(
                "SELECT count(*) FROM jobs WHERE status = ? AND (? = '' OR queue = ?)",
                (status, queue, queue),
            ).fetchone()
        return int(found)

    def page(self, question: JobQuestion) -> list[LocalJob]:
        """Return a page of jobs, and one job more if another page follows."""
        asked, values = ["1 = 1"], list[object]()
        if question.queue:
            asked.append("queue = ?")
            values.append(question.queue)
        if question.status:
            asked.append("status = ?")
            values.append(question.status)
        if question.after is not None:
            asked.append("number > ?" if question.is_ascending else "number < ?")
            values.append(question.after)
        if question.input_part:
            asked.append(
                "instr(json_extract(document, '$.request.settings.inputs[0].fileInput'), ?)"
            )
            values.append(question.input_part)
        order = "ASC" if question.is_ascending else "DESC"
        clause = f"WHERE {' AND '.join(asked)} ORDER BY number {order} LIMIT ?"
        return list(self._jobs(clause, [*values, question.limit + 1]))

    def put(self, kind: str, name: str, found: Mapping[str, Any]) -> None:
        """Store a queue, a preset, a template, or the tags of a resource."""
        with self.changing():
            self._db.execute(
                "INSERT OR REPLACE INTO things VALUES (?, ?, ?)",
                (kind, name, json.dumps(found)),
            )

    def thing(self, kind: str, name: str) -> JsonObject | None:
        """Return a queue, preset, template or tags that ``put`` has stored; None if it has stored none."""
        with self._lock:
            row = self._db.execute(
                "SELECT document FROM things WHERE kind = ? AND name = ?", (kind, name)
            ).fetchone()
        return dict(json.loads(row[0])) if row else None

    def things(self, kind: str) -> list[JsonObject]:
        """Return all stored things of one kind, such as queues, by name."""
        with self._lock:
            rows = self._db.execute(
                "SELECT document FROM things WHERE kind = ? ORDER BY name", (kind,)
            ).fetchall()
        return [dict(json.loads(row[0])) for row in rows]

    def remove(self, kind: str, name: str) -> bool:
        """Remove a queue, preset or template; return False if there was none."""
        with self.changing():
            done = self._db.execute(
                "DELETE FROM things WHERE kind = ? AND name = ?", (kind, name)
            )
        return done.rowcount > 0

    @contextmanager
    def changing(self) -> Iterator[None]:
        """Lock the store for a block, whose changes are kept all or, after an error, not at all."""
        with self._lock:
            if self._db.in_transaction:
                yield
                return
            self._db.execute("BEGIN IMMEDIATE")
            try:
                yield
            except BaseException:
                self._db.execute("ROLLBACK")
                raise
            self._db.execute("COMMIT")

    def close(self) -> None:
        """Close the database of the store."""
        with self._lock:
            self._db.close()

    def _jobs(self, clause: str, values: Sequence[object]) -> Iterator[LocalJob]:
        with self._lock:
            rows = self._db.execute(
                f"SELECT document FROM jobs {clause}",  # noqa: S608 - clauses of this file
                values,
            ).fetchall()
        return (_CONVERTER.structure(json.loads(row[0]), LocalJob) for row in rows)


def _document(job: LocalJob) -> str:
    return json.dumps(_CONVERTER.unstructure(job))
