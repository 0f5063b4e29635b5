"""
The promises of transcoders whose parts are made by a remote service, as tests.

A plugin's tests inherit and say where the source is, and how the service is doing::

    class TestAcmeTranscoder(RemoteTranscoderConformance):
        @pytest.fixture
        def transcoder(self): ...

        @pytest.fixture
        def storage(self): ...

        source_path = "kit/source.mp4"

        def jobs(self): ...

        def finish_jobs(self): ...

        def break_off(self): ...

Each test gets a service that knows no job. The kit itself uses no network.
"""

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

import attrs
import pytest

from hvcore.plugin_api import (
    Part,
    PartDone,
    PartPending,
    PartTarget,
    RemoteTranscoder,
    SourceRanges,
    Storage,
    TranscodeError,
    TranscodeOrder,
    UnavailableError,
    Workspace,
)
from hvcore.testing.transcoder import TranscoderConformance


@attrs.define
class SubmittedPart:
    """A part that was submitted to the remote service, and the names of remote jobs that the transcoder asked to be remembered."""

    part: Part
    workspace: Workspace
    remembered: list[str]


Submit = Callable[[str], SubmittedPart]
"""A function that submits the first part of a plan under a key."""


class RemoteTranscoderConformance(TranscoderConformance):
    """
    The promises of every transcoder whose parts are made by a remote service.

    Attributes:
        source_path: The path of a short video in the storage.
    """

    source_path: str

    @pytest.fixture
    def transcoder(self) -> RemoteTranscoder:
        """Return the transcoder under test, with a remote service that has no jobs."""
        raise NotImplementedError

    @pytest.fixture
    def storage(self) -> Storage:
        """Return a storage that the remote service reaches, with the source in it."""
        raise NotImplementedError

    def jobs(self) -> Sequence[str]:
        """Return the running jobs of the remote service, found without the transcoder's code."""
        raise NotImplementedError

    def finish_jobs(self) -> None:
        """Make the remote service finish all of its jobs."""
        raise NotImplementedError

    def break_off(self) -> None:
        """Make the remote service answer no further request, as in an outage."""
        raise NotImplementedError

    @pytest.fixture
    def workspace(self, tmp_path: Path, storage: Storage) -> Workspace:
        """Return a workspace whose source is in the storage; a fetch of the source fails the test."""
        return self.workspace_of(tmp_path, storage, [], key="kit-probe")

    @pytest.fixture
    def submit(
        self,
        transcoder: RemoteTranscoder,
        order: TranscodeOrder,
        storage: Storage,
        tmp_path: Path,
    ) -> Submit:
        """Return a function that submits the first part of a plan under a key."""
        return partial(self.submitted, transcoder, order, storage, tmp_path)

    def test_a_part_is_submitted_and_its_handle_remembered(
        self, submit: Submit
    ) -> None:
        """Running a part submits one remote job, and its handle is remembered before ``run`` returns."""
        submit("kit-1")

        assert len(self.jobs()) == 1

    def test_a_remote_job_is_found_again_by_its_key(self, submit: Submit) -> None:
        """Running a part again under the same key finds the first remote job and submits no second one."""
        first = submit("kit-1")

        second = submit("kit-1")

        assert second.remembered == first.remembered
        assert len(self.jobs()) == 1

    def test_another_key_is_another_remote_job(self, submit: Submit) -> None:
        """Running a part under another key submits another remote job."""
        first = submit("kit-1")

        second = submit("kit-2")

        assert second.remembered != first.remembered
        assert len(self.jobs()) == 2

    def test_a_question_submits_nothing(
        self, transcoder: RemoteTranscoder, submit: Submit
    ) -> None:
        """Running a part with a handle returns the job's progress, and submits or fetches nothing."""
        made = submit("kit-1")
        handle = made.remembered[-1]

        answer = transcoder.run(made.part, attrs.evolve(made.workspace, handle=handle))

        assert isinstance(answer, PartPending)
        assert answer.handle == handle
        assert 0.0 <= answer.progress <= 1.0
        assert len(self.jobs()) == 1

    def test_the_files_of_a_job_lie_in_its_target(
        self,
        transcoder: RemoteTranscoder,
        submit: Submit,
        storage: Storage,
    ) -> None:
        """Each file that a finished job names is in its target or workspace, with the given size."""
        made = submit("kit-1")
        self.finish_jobs()

        done = transcoder.run(
            made.part, attrs.evolve(made.workspace, handle=made.remembered[-1])
        )

        assert isinstance(done, PartDone)
        target = made.workspace.target
        assert target is not None
        stored = {one.name: f"{target.prefix}/{one.made_as}" for one in done.stored}
        for track in done.tracks:
            files = {f"{track.name}/init.m4s": track.init}
            files |= {f"{track.name}/{s.number}.m4s": s.file for s in track.segments}
            for name, file in files.items():
                local = made.workspace.folder / name
                size = (
                    storage.stat(stored[name]).size_bytes
                    if name in stored
                    else local.stat().st_size
                )
                assert size == file.size_bytes

    def test_a_cancelled_remote_job_ends(
        self, transcoder: RemoteTranscoder, submit: Submit
    ) -> None:
        """A cancelled remote job ends; a second cancel succeeds, and running it raises TranscodeError."""
        made = submit("kit-1")
        handle = made.remembered[-1]

        transcoder.cancel("kit-1", handle)
        transcoder.cancel("kit-1", handle)

        assert self.jobs() == []
        with pytest.raises(TranscodeError):
            transcoder.run(made.part, attrs.evolve(made.workspace, handle=handle))

    def test_a_remote_job_is_cancelled_by_its_key_alone(
        self, transcoder: RemoteTranscoder, submit: Submit
    ) -> None:
        """Cancelling by key without a handle ends the job with that key and no other."""
        submit("kit-1")
        submit("kit-2")

        transcoder.cancel("kit-1", None)

        assert len(self.jobs()) == 1

    def test_the_end_of_an_unknown_job_is_confirmed(
        self, transcoder: RemoteTranscoder
    ) -> None:
        """Cancelling an unknown remote job succeeds, because there may never have been one."""
        transcoder.cancel("kit-unknown", None)

    def test_an_outage_is_no_failure(
        self, transcoder: RemoteTranscoder, submit: Submit
    ) -> None:
        """An outage of the remote service raises UnavailableError, so that the caller tries again."""
        made = submit("kit-1")
        handle = made.remembered[-1]

        self.break_off()

        with pytest.raises(UnavailableError):
            transcoder.run(made.part, attrs.evolve(made.workspace, handle=handle))
        with pytest.raises(UnavailableError):
            transcoder.cancel("kit-1", handle)

    def submitted(
        self,
        transcoder: RemoteTranscoder,
        order: TranscodeOrder,
        storage: Storage,
        folder: Path,
        key: str,
    ) -> SubmittedPart:
        """Submit the first part of a plan under a key, and return it with the names of its remote jobs."""
        remembered: list[str] = []
        part = transcoder.plan(order)[0]
        workspace = self.workspace_of(folder, storage, remembered, key=key)
        made = transcoder.run(part, workspace)
        assert isinstance(made, PartPending)
        assert remembered[-1:] == [made.handle]
        return SubmittedPart(part, workspace, remembered)

    def workspace_of(
        self, folder: Path, storage: Storage, remembered: list[str], *, key: str
    ) -> Workspace:
        """Return the workspace of an attempt; a fetch of its source fails the test."""

        def fetch() -> Path:
            pytest.fail("the source was fetched; ask for its address")

        def address(valid_s: int) -> str:
            # Duck typing, as in the core: what a storage can do, it has a method for.
            signed: str = storage.presigned_url(  # type: ignore[attr-defined]
                self.source_path, valid_s=valid_s
            )
            return signed

        def read(start: int, end: int) -> bytes:
            with storage.open(self.source_path, start=start, end=end) as file:
                return file.read()

        def ranges() -> SourceRanges:
            size_bytes = storage.stat(self.source_path).size_bytes
            return SourceRanges(size_bytes=size_bytes, read=read)

        own = folder / key
        own.mkdir(exist_ok=True)
        return Workspace(
            source=fetch,
            folder=own,
            report=lambda _: None,
            check=lambda: None,
            key=key,
            remember=remembered.append,
            source_address=address,
            source_ranges=ranges,
            target=PartTarget(storage=storage, prefix=f"media/{key}"),
        )
