"""
The kit of transcoders lets a right one pass, and catches a wrong one.
"""

import subprocess
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from inspect import signature
from pathlib import Path
from typing import Any, Final

import attrs
import pytest

from hvcore.plugin_api import (
    Capabilities,
    Part,
    PartDone,
    PartPending,
    SourceInfo,
    TranscodeError,
    TranscodeOrder,
    UnavailableError,
    Workspace,
)
from hvcore.testing.remote_transcoder import RemoteTranscoderConformance
from hvcore.testing.transcoder import order_of
from hvcore_storage_fsspec.remote import RemoteStorage
from tests.support.fakes import SettableClock
from tests.support.network.remote_service import RemoteService, remote_service
from tests.support.remote_transcoder import FarOptions, FarTranscoder
from tests.support.stores.object_store import KEY, SECRET, new_bucket, s3_server


@pytest.fixture(scope="module")
def store() -> Iterator[str]:
    with s3_server() as endpoint:
        yield endpoint


class HasNoName(FarTranscoder):
    def capabilities(self) -> Capabilities:
        return attrs.evolve(super().capabilities(), name="")


class RunsToAnswer(FarTranscoder):
    def capabilities(self) -> Capabilities:
        subprocess.run(["/bin/true"], check=True)
        return super().capabilities()


class FindsNoLength(FarTranscoder):
    def probe(self, workspace: Workspace) -> SourceInfo:
        return attrs.evolve(super().probe(workspace), duration_s=0.0)


class PlansNothing(FarTranscoder):
    def plan(self, order: TranscodeOrder) -> tuple[Part, ...]:
        return ()


class OnlyReturnsHandles(FarTranscoder):
    def run(self, part: Part, workspace: Workspace) -> PartDone | PartPending:
        return super().run(part, attrs.evolve(workspace, remember=lambda _: None))


class SubmitsTwice(FarTranscoder):
    def _known(self, key: str) -> list[str]:
        return []


class HasOneKey(FarTranscoder):
    def run(self, part: Part, workspace: Workspace) -> PartDone | PartPending:
        return super().run(part, attrs.evolve(workspace, key="always"))


class FetchesTheSource(FarTranscoder):
    def run(self, part: Part, workspace: Workspace) -> PartDone | PartPending:
        if workspace.handle is not None:
            workspace.source.stat()
        return super().run(part, workspace)


class NamesWhatIsNotThere(FarTranscoder):
    def run(self, part: Part, workspace: Workspace) -> PartDone | PartPending:
        done = super().run(part, workspace)
        return done if isinstance(done, PartPending) else attrs.evolve(done, stored=())


class CancelsNothing(FarTranscoder):
    def cancel(self, key: str, handle: str | None) -> None:
        pass


class CancelsByHandleAlone(FarTranscoder):
    def cancel(self, key: str, handle: str | None) -> None:
        if handle is not None:
            super().cancel(key, handle)


class RefusesWhatItDoesNotKnow(FarTranscoder):
    def cancel(self, key: str, handle: str | None) -> None:
        if not handle and not self._known(key):
            raise TranscodeError("There is no such job.")
        super().cancel(key, handle)


class TakesOutagesForFailures(FarTranscoder):
    def run(self, part: Part, workspace: Workspace) -> PartDone | PartPending:
        try:
            return super().run(part, workspace)
        except UnavailableError as exc:
            raise TranscodeError("It failed.") from exc


WRONG: Final[Mapping[type[FarTranscoder], str]] = {
    HasNoName: "test_the_transcoder_declares_its_capabilities",
    RunsToAnswer: "test_capabilities_come_from_memory",
    FindsNoLength: "test_the_transcoder_probes_a_source",
    PlansNothing: "test_a_plan_is_whole",
    OnlyReturnsHandles: "test_a_part_is_submitted_and_its_handle_remembered",
    SubmitsTwice: "test_a_remote_job_is_found_again_by_its_key",
    HasOneKey: "test_another_key_is_another_remote_job",
    FetchesTheSource: "test_a_question_submits_nothing",
    NamesWhatIsNotThere: "test_the_files_of_a_job_lie_in_its_target",
    CancelsNothing: "test_a_cancelled_remote_job_ends",
    CancelsByHandleAlone: "test_a_remote_job_is_cancelled_by_its_key_alone",
    RefusesWhatItDoesNotKnow: "test_the_end_of_an_unknown_job_is_confirmed",
    TakesOutagesForFailures: "test_an_outage_is_no_failure",
}


class FarKit(RemoteTranscoderConformance):
    """
    The kit, for transcoders of the tests' own service.
    """

    source_path = "kit/source.mp4"
    service: RemoteService
    clock: SettableClock

    def jobs(self) -> Sequence[str]:
        return [job.id for job in self.service.running()]

    def finish_jobs(self) -> None:
        self.clock.move(seconds=self.service.length_s)

    def break_off(self) -> None:
        self.service.is_down = True


def _storage(store: str, folder: Path) -> RemoteStorage:
    made = RemoteStorage(
        f"s3://{new_bucket(store)}/kit",
        args={"endpoint_url": store, "key": KEY, "secret": SECRET},
        work_dir=folder / "work",
    )
    clip = folder / "source.mp4"
    clip.write_bytes(b"video")
    made.put_file(FarKit.source_path, clip, content_type="video/mp4")
    return made


@pytest.mark.every(3)
class TestFarTranscoder(FarKit):
    @pytest.fixture
    def transcoder(self, store: str) -> Iterator[FarTranscoder]:
        self.clock = SettableClock()
        with remote_service(store, self.clock.now) as self.service:
            yield FarTranscoder(FarOptions(url=self.service.url))

    @pytest.fixture
    def storage(self, store: str, tmp_path: Path) -> RemoteStorage:
        return _storage(store, tmp_path)


def test_every_promise_has_somebody_who_breaks_it() -> None:
    promises = {
        name
        for kit in RemoteTranscoderConformance.__mro__
        for name in vars(kit)
        if name.startswith("test_")
    }

    assert set(WRONG.values()) == promises


@pytest.mark.cases(2)
@pytest.mark.parametrize("kind", WRONG, ids=lambda kind: kind.__name__)
def test_a_wrong_transcoder_is_caught(
    kind: type[FarTranscoder], store: str, tmp_path: Path
) -> None:
    kit = FarKit()
    kit.clock = SettableClock()
    storage = _storage(store, tmp_path)
    with (
        remote_service(store, kit.clock.now) as kit.service,
        # pytest.fail raises what is no Exception.
        pytest.raises((Exception, pytest.fail.Exception)),
    ):
        _run(kit, kind, storage, tmp_path)


def _run(
    kit: FarKit, kind: type[FarTranscoder], storage: RemoteStorage, folder: Path
) -> None:
    promise: Callable[..., None] = getattr(kit, WRONG[kind])
    options = FarOptions(url=kit.service.url)
    workspace = kit.workspace_of(folder, storage, [], key="kit-probe")
    order = order_of(FarTranscoder(options).probe(workspace))
    wrong = kind(options)
    values: Mapping[str, Any] = {
        "transcoder": wrong,
        "storage": storage,
        "workspace": workspace,
        "order": order,
        "submit": partial(kit.submitted, wrong, order, storage, folder),
    }
    promise(**{name: values[name] for name in signature(promise).parameters})
