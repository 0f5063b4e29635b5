"""
The example of the page for authors of transcoders keeps every promise of the kit.
"""

import importlib
import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import attrs
import pytest

from hvcore.plugin_api import RemoteTranscoder, TranscodeError, UnavailableError
from hvcore.testing.remote_transcoder import RemoteTranscoderConformance, Submit
from hvcore_storage_fsspec.remote import RemoteStorage
from tests.support.fakes import SettableClock
from tests.support.network.remote_service import RemoteService
from tests.support.stores.object_store import KEY, SECRET, new_bucket, s3_server

PAGE = Path(__file__).parents[3] / "docs" / "how-to" / "transcoders.md"


class NoAnswerError(Exception):
    pass


class RefusedError(Exception):
    pass


class NoSuchJobError(Exception):
    pass


class AcmeClient:
    """
    The client library of the example's service.
    """

    def __init__(self, service: RemoteService) -> None:
        self.service = service
        self.is_refusing = False

    def probe(self, address: str) -> dict[str, Any]:
        size = self._answer(self.service.probe({"source": address}))["size"]
        video = {"width": 1280, "height": 720, "rate": "30000/1001"}
        return {**video, "seconds": 6.0, "bytes": size}

    def find(self, key: str) -> list[str]:
        found: list[str] = self._answer(self.service.find(key))
        return found

    def submit(
        self, *, key: str, source: str, target: str, sizes: dict[str, tuple[int, int]]
    ) -> str:
        rungs = [
            {"key": name, "width_px": width, "height_px": height}
            for name, (width, height) in sizes.items()
        ]
        wanted = {"key": key, "source": source, "target": target, "rungs": rungs}
        handle: str = self._answer(self.service.submit(wanted))["id"]
        return handle

    def show(self, handle: str) -> dict[str, Any]:
        job: dict[str, Any] = self._answer(self.service.show(handle))
        outputs = {
            made["rung"]: [
                {**_told(made["init"]), "codecs": "avc1.42C01F"},
                {**_told(made["segment"]), "seconds": 6.0},
            ]
            for made in job["outputs"] or []
        }
        return {**job, "outputs": outputs}

    def cancel(self, handle: str) -> None:
        self._answer(self.service.cancel(handle))

    def _answer(self, answer: tuple[int, Any]) -> Any:  # noqa: ANN401 - JSON data
        if self.service.is_down:
            raise NoAnswerError
        status, body = answer
        if self.is_refusing:
            raise RefusedError("the key was replaced")
        if status == 404:
            raise NoSuchJobError
        if status >= 400:
            raise RefusedError(status)
        return body


def _told(made: dict[str, Any]) -> dict[str, Any]:
    return {"name": made["name"], "bytes": made["size"], "sha256": made["sha256"]}


@pytest.fixture(scope="module")
def store() -> Iterator[str]:
    with s3_server() as endpoint:
        yield endpoint


@pytest.mark.every(3)
class TestAcmeTranscoder(RemoteTranscoderConformance):
    source_path = "kit/source.mp4"
    service: RemoteService
    clock: SettableClock
    client: AcmeClient

    @pytest.fixture
    def transcoder(
        self, store: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> Iterator[RemoteTranscoder]:
        type(self).clock = SettableClock()
        type(self).service = RemoteService(store, self.clock.now)
        type(self).client = AcmeClient(self.service)
        library = ModuleType("acme_client")
        vars(library).update(
            NoAnswer=NoAnswerError,
            NoSuchJob=NoSuchJobError,
            Refused=RefusedError,
            Client=lambda _: self.client,
        )
        monkeypatch.setitem(sys.modules, "acme_client", library)
        (code,) = re.findall(
            r"```python\n(# acme_cloud.py\n.*?)```",
            PAGE.read_text(encoding="utf-8"),
            re.DOTALL,
        )
        (tmp_path / "acme_cloud.py").write_text(code, encoding="utf-8")
        monkeypatch.syspath_prepend(str(tmp_path))
        example = importlib.import_module("acme_cloud")
        (offered,) = example.hvcore_transcoders()
        yield offered.factory(offered.options(url="https://acme.example.com"), None)
        sys.modules.pop("acme_cloud")

    @pytest.fixture
    def storage(self, store: str, tmp_path: Path) -> RemoteStorage:
        made = RemoteStorage(
            f"s3://{new_bucket(store)}/kit",
            args={"endpoint_url": store, "key": KEY, "secret": SECRET},
            work_dir=tmp_path / "work",
        )
        clip = tmp_path / "source.mp4"
        clip.write_bytes(b"video")
        made.put_file(self.source_path, clip, content_type="video/mp4")
        return made

    def jobs(self) -> Sequence[str]:
        return [job.id for job in self.service.running()]

    def finish_jobs(self) -> None:
        self.clock.move(seconds=self.service.length_s)

    def break_off(self) -> None:
        self.service.is_down = True

    @pytest.mark.parametrize("known", [["handle"], []])
    def test_what_is_refused_about_a_job_does_not_end_it(
        self, transcoder: RemoteTranscoder, submit: Submit, known: list[str]
    ) -> None:
        made = submit("kit-1")
        handle = made.remembered[-1] if known else None
        self.client.is_refusing = True

        with pytest.raises(UnavailableError, match="the key was replaced"):
            transcoder.run(made.part, attrs.evolve(made.workspace, handle=handle))
        with pytest.raises(UnavailableError, match="the key was replaced"):
            transcoder.cancel("kit-1", handle)

    def test_a_refused_remote_job_has_failed(
        self, submit: Submit, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(self.service, "submit", lambda _: (403, {}))

        with pytest.raises(TranscodeError, match="The service refused"):
            submit("kit-1")
