"""Store the files of encoded parts, and order the assembling after the last part."""

from collections.abc import Callable
from pathlib import Path
from typing import Final

import attrs

from hvcore.domain.media_paths import media_root
from hvcore.domain.processing.jobs import TranscodeJob
from hvcore.domain.processing.remote_jobs import RemoteJob
from hvcore.domain.processing.transcoding import PartDone
from hvcore.domain.tasks.kinds import (
    TRANSCODE_ASSEMBLE,
    TRANSCODE_REMOTE,
    TRANSCODE_REMOTE_ASSEMBLE,
)
from hvcore.domain.tasks.task import Lane, NewTask
from hvcore.errors import UnavailableError
from hvcore.failpoints import failpoint
from hvcore.ports.unit_of_work import UnitOfWork
from hvcore.services.processing.attempt_files import AttemptFiles
from hvcore.services.processing.renewals import carried
from hvcore.services.processing.stored_copies import StoredCopies
from hvcore.services.tasks.leases import TaskRun, TaskStopped
from hvcore.wire.stored import to_stored

FINISHES_AGAIN_AFTER_S: Final = 0.5
"""Half of what new connections are refused for after a silence."""


@attrs.frozen(kw_only=True)
class PartResults:
    """Store the files of an encoded part, and end its task; both for local and remote parts."""

    uow: UnitOfWork
    files: AttemptFiles
    copies: StoredCopies

    def keep(
        self, run: TaskRun, job: TranscodeJob, *, index: int, made: Path, done: PartDone
    ) -> None:
        """
        Store the files of a part that was encoded on this machine, and finish its task.

        Args:
            index: The number of the part within the job, from 0.
            made: The local folder with the files of the part.
        """
        self._keep(run, job, index, done, lambda at: self.files.store(made, at))

    def take_over(  # noqa: PLR0913 - two places
        self,
        run: TaskRun,
        job: TranscodeJob,
        *,
        index: int,
        remote_job: RemoteJob,
        made: Path,
        made_in: str,
        done: PartDone,
    ) -> None:
        """
        Store the files of a part that a remote service encoded, and finish its task.

        Args:
            index: The number of the part within the job, from 0.
            made: The local folder with the files that are not in the store.
            made_in: The storage prefix of the files that the service wrote to the store.

        Raises:
            TranscodeError: A file of the part is not there.
            StorageRefusedError: The storage does not permit it.
        """

        def copy(target: str) -> None:
            self.copies.take_over(
                done.stored, made_in=made_in, target=target, check=run.check
            )

        def store(target: str) -> None:
            self.files.store(made, target)
            copy(target)

        left = attrs.evolve(done, stored=())
        if any(made.iterdir()):
            # Two attempts may differ in what they make here.
            self._keep(run, job, index, left, store)
            return
        # A folder for all attempts, where each goes on: they copy the same bytes,
        # so one that was thought to be dead does no harm. Tidying removes the rest.
        folder = remote_job.taken_folder(index)
        copy(f"{media_root(job.video_id, job.id)}/{folder}")
        failpoint("part.stored")
        self._finish(run, job, folder, left)

    def _keep(
        self,
        run: TaskRun,
        job: TranscodeJob,
        index: int,
        done: PartDone,
        store: Callable[[str], None],
    ) -> None:
        folder = f"p{index}a{run.task.fence}"
        target = f"{media_root(job.video_id, job.id)}/{folder}"
        is_stored = False
        try:
            store(target)
            failpoint("part.stored")
            is_stored = True
            self._finish(run, job, folder, done)
        except UnavailableError as error:
            # A commit that was not confirmed may have been made: then these files
            # are the part. If they are not, the tidying removes them.
            if not is_stored:
                raise
            self._finish_within_lease(run, job, folder, done, error)
        except BaseException:
            # Lost, cancelled or refused: nobody else knows of these files.
            self.files.discard(target)
            raise

    def _finish_within_lease(
        self,
        run: TaskRun,
        job: TranscodeJob,
        folder: str,
        done: PartDone,
        error: UnavailableError,
    ) -> None:
        """
        Finish a task when the database is back: a part may be minutes of work.

        Raises:
            UnavailableError: The lease is over, perhaps because the first commit was
                made. Nobody may remove the files.
        """
        while run.holds_after(FINISHES_AGAIN_AFTER_S):
            try:
                self._finish(run, job, folder, done)
            except UnavailableError:
                continue
            except TaskStopped:
                break
            return
        raise error

    def _finish(
        self, run: TaskRun, job: TranscodeJob, folder: str, done: PartDone
    ) -> None:
        result = {"folder": folder, "done": to_stored(done)}
        with self.uow.write() as work:
            run.finish(work, result=result)
            if work.jobs.count_down(job.id) == 0:
                is_remote = run.task.kind == TRANSCODE_REMOTE
                work.tasks.add(
                    [
                        NewTask(
                            kind=TRANSCODE_REMOTE_ASSEMBLE
                            if is_remote
                            else TRANSCODE_ASSEMBLE,
                            lane=Lane.ASSEMBLE,
                            org_id=run.task.org_id,
                            subject=run.task.subject,
                            payload={"job": job.id, **carried(run.task)},
                        )
                    ]
                )
            work.commit()
