"""
What the transcoder does with Google's answers.
"""

import json
import logging
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any, Final

import attrs
import pytest
from google.auth.exceptions import RefreshError, TransportError

from hvcore.persistence.engine import make_engine
from hvcore.persistence.plugin_database import PluginDatabase
from hvcore.plugin_api import (
    JobDeclinedError,
    NotAddressableError,
    Part,
    PartPending,
    PartTarget,
    SourceRanges,
    TranscodeError,
    TranscodeOrder,
    UnavailableError,
    UnusableSourceError,
    Workspace,
)
from hvcore_cloud_ladders.spending import LIMIT_REACHED, SpendingBook, SpendingTables
from hvcore_storage_fsspec.remote import RemoteStorage
from hvcore_transcoder_google.abilities import TOO_SHORT
from hvcore_transcoder_google.backend import GoogleTranscoder
from hvcore_transcoder_google.job_calls import TranscoderCalls, translated
from hvcore_transcoder_google.options import GoogleTranscoderOptions
from hvcore_transcoder_google.pricing import sd_minutes
from hvcore_transcoder_google.source_bytes import (
    MOST_WINDOWS,
    WINDOW_BYTES,
    SourceBytes,
)
from tests.plugins.transcoder_google.orders import ORDERS, order_of, source
from tests.plugins.transcoder_google.stand_in import TranscoderStandIn
from tests.support.fakes import SettableClock
from tests.support.stores.google_store import key_file
from tests.support.stores.half_answers import (
    HALF_ANSWERS,
    HalfAnsweringServer,
    half_answering_server,
)
from tests.support.stores.object_store import KEY, SECRET

pytestmark = pytest.mark.services

Submit = Callable[..., PartPending]


@attrs.define(kw_only=True)
class GoogleCaller:
    """
    Calls a transcoder whose storage has a source.
    """

    api: TranscoderStandIn
    storage: RemoteStorage
    transcoder: GoogleTranscoder
    clock: SettableClock
    folder: Path

    def ranges(self) -> SourceRanges:
        def read(start: int, end: int) -> bytes:
            with self.storage.open("in.mp4", start=start, end=end) as file:
                return file.read()

        size_bytes = self.storage.stat("in.mp4").size_bytes
        return SourceRanges(size_bytes=size_bytes, read=read)

    def workspace(self, key: str, handle: str | None = None) -> Workspace:
        return Workspace(
            source=self.folder / "not fetched",
            folder=self.folder,
            report=lambda _: None,
            check=lambda: None,
            key=key,
            handle=handle,
            source_address=lambda s: self.storage.presigned_url("in.mp4", valid_s=s),
            source_ranges=self.ranges,
            target=PartTarget(storage=self.storage, prefix=f"media/{key}"),
        )

    def submit(self, order: TranscodeOrder | None = None, key: str = "key-1") -> str:
        part = Part(index=0, order=order or order_of())
        answer = self.transcoder.run(part, self.workspace(key))
        assert isinstance(answer, PartPending)
        return answer.handle

    def ask(self, handle: str, order: TranscodeOrder | None = None) -> Any:  # noqa: ANN401 - one of two
        part = Part(index=0, order=order or order_of())
        return self.transcoder.run(part, self.workspace("key-1", handle))


@pytest.fixture
def storage(store: str, bucket: str, clip: Path, tmp_path: Path) -> RemoteStorage:
    made = RemoteStorage(
        f"s3://{bucket}/kit",
        args={"endpoint_url": store, "key": KEY, "secret": SECRET},
        work_dir=tmp_path / "work",
    )
    made.put_file("in.mp4", clip, content_type="video/mp4")
    return made


@pytest.fixture
def caller(
    api: TranscoderStandIn,
    storage: RemoteStorage,
    options: GoogleTranscoderOptions,
    tmp_path: Path,
) -> Iterator[GoogleCaller]:
    clock = SettableClock()
    transcoder = GoogleTranscoder(
        options=options, calls=TranscoderCalls(options), clock=clock, book=None
    )
    yield GoogleCaller(
        api=api, storage=storage, transcoder=transcoder, clock=clock, folder=tmp_path
    )
    transcoder.close()


def test_a_job_names_places_in_googles_store_and_no_signature(
    caller: GoogleCaller, bucket: str
) -> None:
    job = caller.api.jobs[caller.submit()]

    assert job.config.inputs[0].uri == f"gs://{bucket}/kit/in.mp4"
    assert job.config.output.uri == f"gs://{bucket}/kit/media/key-1/"
    assert "Signature" not in str(job)


def test_progress_is_a_guess_by_the_length_of_the_video(caller: GoogleCaller) -> None:
    order = order_of(source(2, duration_s=600))
    handle = caller.submit(order)

    told = [caller.ask(handle, order).progress]
    caller.api.start(handle, caller.clock.now())
    for _ in range(3):
        caller.clock.move(seconds=300)
        told.append(caller.ask(handle, order).progress)

    assert told == [0.0, 0.5, 0.9, 0.9]


def test_a_failed_job_says_why(caller: GoogleCaller) -> None:
    handle = caller.submit()
    caller.api.fail(
        handle, 7, "Permission denied.", "GCSPermissionDenied", "no access to gs://x"
    )

    with pytest.raises(TranscodeError) as failed:
        caller.ask(handle)

    assert "roles/storage.objectAdmin" in failed.value.log
    assert "no access to gs://x" in failed.value.log
    assert "gs://" not in failed.value.reason


def test_a_job_that_the_source_has_failed_is_not_tried_again(
    caller: GoogleCaller,
) -> None:
    handle = caller.submit()
    caller.api.fail(handle, 3, "The input video codec is not supported.", "", "")

    with pytest.raises(UnusableSourceError, match="The file is damaged"):
        caller.ask(handle)


@pytest.mark.parametrize(
    ("refusal", "words"),
    [
        ((403, "no", "BILLING_DISABLED"), "enable billing"),
        ((403, "no", ""), "roles/transcoder.admin"),
        ((400, "no", ""), "report it"),
    ],
)
def test_a_refused_remote_job_is_a_failed_attempt_with_what_to_do(
    caller: GoogleCaller, refusal: tuple[int, str, str], words: str
) -> None:
    caller.api.refusal = refusal

    with pytest.raises(TranscodeError) as failed:
        caller.submit()

    assert words in failed.value.log


def test_a_used_up_quota_is_waited_for(caller: GoogleCaller) -> None:
    caller.api.refusal = (429, "Quota exceeded", "RATE_LIMIT_EXCEEDED")

    with pytest.raises(UnavailableError, match="quota"):
        caller.submit()


def test_nobody_at_the_address_is_an_outage(options: GoogleTranscoderOptions) -> None:
    calls = TranscoderCalls(attrs.evolve(options, endpoint="http://127.0.0.1:9"))

    with pytest.raises(UnavailableError, match="does not answer"):
        calls.job("projects/1/locations/x/jobs/1")


CALLS: Final = {
    "create": lambda calls: calls.create({}),
    "job": lambda calls: calls.job("projects/1/locations/x/jobs/1"),
    "submitted": lambda calls: calls.submitted("key"),
    "running": lambda calls: calls.running("key"),
    "delete": lambda calls: calls.delete("projects/1/locations/x/jobs/1"),
}
# As a list, these are ones of nothing.
EMPTY_LISTS: Final = (b"{}", b"[]")


@pytest.fixture
def half() -> Iterator[HalfAnsweringServer]:
    with half_answering_server() as server:
        yield server


@pytest.fixture
def half_answered(
    half: HalfAnsweringServer, options: GoogleTranscoderOptions
) -> Iterator[TranscoderCalls]:
    calls = TranscoderCalls(attrs.evolve(options, endpoint=half.url))
    yield calls
    calls.close()


@pytest.mark.parametrize("call", CALLS)
def test_an_answer_of_the_api_without_what_was_asked_for_is_an_outage(
    half: HalfAnsweringServer, half_answered: TranscoderCalls, call: str
) -> None:
    is_list = call in {"submitted", "running"}
    for half.answer in {*HALF_ANSWERS, b"\xff", b"null"} - {*EMPTY_LISTS * is_list}:
        with pytest.raises(UnavailableError, match=r"is not it|name the new|no state"):
            CALLS[call](half_answered)


def test_a_job_without_a_known_state_goes_on(
    half: HalfAnsweringServer, half_answered: TranscoderCalls
) -> None:
    for told in (b'"name": "x"', b'"name": "x", "state": 99', b'"state": "RUNNING"'):
        half.answer = b"{" + told + b"}"
        with pytest.raises(UnavailableError, match="The job goes on"):
            half_answered.job("projects/1/locations/x/jobs/1")


WRONG = '{"type": "service_account", "private_key": "very secret"}'


def test_credentials_that_are_none_are_no_outage_and_no_secret_is_told(
    options: GoogleTranscoderOptions,
) -> None:
    calls = TranscoderCalls(attrs.evolve(options, endpoint="", credentials=WRONG))

    with pytest.raises(TranscodeError) as failed:
        calls.submitted("key-1")

    assert "transcoder.options.credentials" in failed.value.log
    assert "secret" not in failed.value.log
    assert "secret" not in repr(options)


def test_a_job_goes_on_when_the_credentials_have_become_wrong(
    options: GoogleTranscoderOptions,
) -> None:
    calls = TranscoderCalls(attrs.evolve(options, endpoint="", credentials=WRONG))

    with pytest.raises(UnavailableError, match=r"options\.credentials") as refused:
        calls.job("projects/1/locations/x/jobs/1")

    assert "secret" not in str(refused.value)


@pytest.mark.parametrize(
    ("refusal", "words"),
    [
        ((403, "no", ""), r"roles/transcoder\.admin"),
        ((403, "no", "BILLING_DISABLED"), "enable billing"),
        ((401, "no", ""), r"transcoder\.options\.credentials"),
        ((400, "no", ""), "report it"),
    ],
)
def test_a_job_goes_on_while_the_api_refuses_to_show_it(
    caller: GoogleCaller, refusal: tuple[int, str, str], words: str
) -> None:
    handle = caller.submit()
    caller.api.refusal = refusal

    with pytest.raises(UnavailableError, match=words):
        caller.ask(handle)

    caller.api.refusal = None
    assert caller.api.running() == [handle]
    assert isinstance(caller.ask(handle), PartPending)


def test_a_job_that_nobody_knows_is_a_failed_attempt(caller: GoogleCaller) -> None:
    handle = caller.submit()
    caller.api.jobs.clear()

    with pytest.raises(TranscodeError, match="at the moment"):
        caller.ask(handle)


def test_a_refused_cancellation_is_not_confirmed(caller: GoogleCaller) -> None:
    handle = caller.submit()
    caller.api.refusal = (403, "no", "")

    with pytest.raises(TranscodeError, match="cannot process videos"):
        caller.transcoder.cancel("key-1", handle)

    assert caller.api.running() == [handle]


def test_a_sign_in_that_does_not_answer_is_an_outage(
    options: GoogleTranscoderOptions, tmp_path: Path
) -> None:
    token = tmp_path / "token"
    token.write_text("a token of another identity")
    silent = {
        "type": "external_account",
        "audience": "//iam.googleapis.com/projects/1/locations/global/x",
        "subject_token_type": "urn:ietf:params:oauth:token-type:jwt",
        "token_url": "http://127.0.0.1:9/v1/token",
        "credential_source": {"file": str(token)},
    }
    calls = TranscoderCalls(
        attrs.evolve(options, endpoint="", credentials=json.dumps(silent))
    )

    with pytest.raises(UnavailableError, match="sign-in does not answer"):
        calls.submitted("key-1")


def test_half_an_answer_of_the_sign_in_is_an_outage(
    options: GoogleTranscoderOptions, half: HalfAnsweringServer, tmp_path: Path
) -> None:
    credentials = key_file(tmp_path, half.url).read_text("utf-8")
    calls = TranscoderCalls(attrs.evolve(options, endpoint="", credentials=credentials))
    ends = b'{"access_token": "x", "expires_in": "soon"}'

    for half.answer in (*HALF_ANSWERS, b"null", ends):
        with pytest.raises(UnavailableError, match="sign-in"):
            calls.submitted("key-1")


def refreshed(cause: Exception) -> Exception:
    """
    Wrap what happened as the client of a machine's metadata server does.
    """
    error = RefreshError(cause)
    error.__cause__ = cause
    return error


def test_a_token_that_the_network_kept_back_is_an_outage() -> None:
    with pytest.raises(UnavailableError, match="metadata server"), translated():
        raise refreshed(TransportError("no route"))

    with pytest.raises(TranscodeError, match="cannot process videos"), translated():
        raise refreshed(ValueError("invalid_grant"))


def test_a_deleted_job_that_was_running_is_gone(caller: GoogleCaller) -> None:
    handle = caller.submit()
    caller.api.start(handle, caller.clock.now())

    caller.transcoder.cancel("key-1", None)

    assert caller.api.deleted == [handle]


@pytest.mark.parametrize("size", [0, 3, 100_000])
def test_a_source_without_headers_is_refused(
    caller: GoogleCaller, tmp_path: Path, size: int
) -> None:
    empty = tmp_path / "empty.mp4"
    empty.write_bytes(bytes(size))
    caller.storage.put_file("in.mp4", empty, content_type="video/mp4")

    with pytest.raises(UnusableSourceError, match="no MP4"):
        caller.transcoder.probe(caller.workspace("key-1"))


def test_a_source_on_this_machine_is_refused_with_what_to_set(
    caller: GoogleCaller,
) -> None:
    here = attrs.evolve(caller.workspace("key-1"), source_ranges=lambda: None)

    with pytest.raises(NotAddressableError) as refused:
        caller.transcoder.probe(here)

    assert "storage.options.url" in refused.value.log


def test_headers_all_over_a_source_are_not_followed_for_ever() -> None:
    asked: list[int] = []

    def read(start: int, end: int) -> bytes:
        asked.append(start)
        return bytes(end - start)

    source = SourceBytes(SourceRanges(size_bytes=10**10, read=read))

    with pytest.raises(TranscodeError) as failed:
        source.read(0, (MOST_WINDOWS + 1) * WINDOW_BYTES)

    assert "strewn" in failed.value.log
    assert len(asked) == MOST_WINDOWS


def test_no_job_of_others_is_taken_for_ours(caller: GoogleCaller) -> None:
    caller.api.filters = False
    other = caller.submit(key="key-1")

    own = caller.submit(key="key-2")
    caller.transcoder.cancel("key-2", None)

    assert own != other
    assert caller.api.running() == [other]


def test_what_cannot_be_made_is_declined_before_it_is_planned(
    caller: GoogleCaller,
) -> None:
    short = order_of(source(2, duration_s=2))

    assert caller.transcoder.declines(short) == TOO_SHORT
    assert caller.transcoder.declines(order_of()) == ""
    with pytest.raises(UnusableSourceError, match="shorter than 5"):
        caller.transcoder.plan(short)


def test_minutes_are_counted_as_google_bills_them() -> None:
    # 360p and 480p once, 720p twice, sound a third, of a minute each.
    assert sd_minutes(order_of()) == pytest.approx(4 + 1 / 3)
    # 720p and 1080p twice, 1440p and 2160p four times.
    assert sd_minutes(ORDERS["large"]) == pytest.approx(12 + 1 / 3)


def test_no_more_is_spent_in_a_day_than_the_limit(
    caller: GoogleCaller, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    engine = make_engine(f"sqlite:///{tmp_path}/hvcore.db")
    cost = round(sd_minutes(order_of()) * 10_000)
    caller.transcoder = attrs.evolve(
        caller.transcoder,
        options=attrs.evolve(
            caller.transcoder.options, price_per_minute=0.01, daily_limit=0.05
        ),
        book=SpendingBook(
            database=PluginDatabase(engine),
            tables=SpendingTables("hv_transcoder_google"),
            limit=50_000,
            service="Google",
            currency="USD",
        ),
    )

    caller.submit(key="key-1")

    assert cost > 25_000
    # The same remote job again costs nothing again.
    caller.submit(key="key-1")
    with caplog.at_level(logging.WARNING):
        assert caller.transcoder.declines(order_of()) == LIMIT_REACHED
    with pytest.raises(JobDeclinedError, match="daily limit"):
        caller.submit(key="key-2")
    with pytest.raises(JobDeclinedError, match="more than may be spent in a day"):
        caller.submit(order_of(source(2, duration_s=600)), key="key-3")
    assert caller.api.created == 1
    assert "the daily limit" in caplog.text
    caller.clock.move(seconds=timedelta(days=1).total_seconds())
    caller.submit(key="key-2")
    engine.dispose()
