"""Have a server transcribe sounds by ``POST /v1/audio/transcriptions``."""

import http.client
import json
import time
import uuid
import wave
from collections.abc import Callable, Generator, Sequence
from datetime import UTC, datetime, timedelta
from typing import Final
from urllib.parse import urlsplit

import attrs

from hvcore.plugin_api import (
    SOUND_RATE_HZ,
    Clock,
    Database,
    SoundFile,
    SpokenCue,
    SpokenLanguage,
    Transcriber,
    TranscriberCapabilities,
    Transcription,
    TranscriptionError,
    TranscriptionOrder,
    UnavailableError,
    UnusableSoundError,
    require_known_language,
)
from hvcore_cloud_ladders.spending import MILLIONTHS, SpendingBook, SpendingTables
from hvcore_transcriber_http.answers import UnusableAnswerError, read_answer
from hvcore_transcriber_http.exchange import (
    Answer,
    NotConnectedError,
    Request,
    TooLargeAnswerError,
    exchange,
)
from hvcore_transcriber_http.languages import whisper_code
from hvcore_transcriber_http.options import HttpTranscriberOptions
from hvcore_transcriber_http.organization_days import OrganizationDays

_OK: Final = 200
_BUSY: Final = frozenset({429, 502, 503})
"""A proxy whose server is away answers 502."""
_REFUSED: Final = frozenset({400, 413, 415, 422})
_MOST_SAID: Final = 300
_REFUSED_KEY: Final = frozenset({401, 403})
_SERVER_FAILS: Final = 500
_LONGEST_WAIT_S: Final = 30
"""A longer pause that a server asks for is made by the job, which others need not wait for."""
_REFUSED_WAIT_S: Final = 3_600
_TOO_LONG: Final = "This sound alone is longer than what may be transcribed in a day."
_LEAST_MS: Final = 200
"""Nobody says a word in less, and OpenAI's server answers 400 to less than 0.1 s: audio_too_short."""
_PING_S: Final = 10.0
_STEP_S: Final = 0.5


def make_transcriber(
    options: HttpTranscriberOptions, *, clock: Clock, database: Database
) -> "HttpTranscriber":
    """Return a transcriber for this process; it counts seconds if there is a limit."""
    book = None
    if options.daily_limit_s:
        book = SpendingBook(
            database=database,
            tables=SpendingTables("hv_transcriber_http"),
            limit=options.daily_limit_s * MILLIONTHS,
            service="the transcription server",
            currency="s",
        )
    days = None
    if options.organization_daily_limit_s:
        days = OrganizationDays(
            database=database, limit_ms=options.organization_daily_limit_s * 1000
        )
    return HttpTranscriber(options=options, clock=clock, book=book, days=days)


@attrs.frozen(kw_only=True)
class HttpTranscriber(Transcriber):
    """
    A transcriber that sends whole sounds to a server, and reads cues out of its answers.

    Attributes:
        book: The seconds of sound that were sent each day; None if there is no limit.
        days: The sound of each organization that was sent on a day; None if there is no
            limit.
        sleep: Waits for some seconds between two attempts.
    """

    options: HttpTranscriberOptions
    clock: Clock
    book: SpendingBook | None = None
    days: OrganizationDays | None = None
    sleep: Callable[[float], None] = time.sleep

    def capabilities(self) -> TranscriberCapabilities:
        return TranscriberCapabilities(
            name=f"http {self.options.model}", languages=self.options.known_languages
        )

    def reserve(self, order: TranscriptionOrder) -> None:
        now = self.clock.now()
        self._reserve_of_organization(order, now)
        try:
            self._reserve_of_all(order, now)
        except Exception:
            if self.days is not None:
                self.days.give_back(order)
            raise

    def _reserve_of_organization(
        self, order: TranscriptionOrder, now: datetime
    ) -> None:
        if self.days is None:
            return
        if order.sound.duration_ms > self.days.limit_ms:
            raise UnusableSoundError(_TOO_LONG)
        if not self.days.reserve(order, now):
            raise UnavailableError(
                f"No more sound of {order.org_id or 'this organization'} is transcribed "
                "today: its daily limit is reached.",
                retry_after_s=_seconds_of_the_day_left(now),
            )

    def _reserve_of_all(self, order: TranscriptionOrder, now: datetime) -> None:
        if self.book is None:
            return
        cost = order.sound.duration_ms * MILLIONTHS // 1000
        if cost > self.book.limit:
            raise UnusableSoundError(_TOO_LONG)
        # Each call is counted: nobody knows whether a lost answer is on the bill.
        if not self.book.reserve(order.id, cost, now):
            raise UnavailableError(
                "No more sound is transcribed today: the daily limit is reached.",
                retry_after_s=_seconds_of_the_day_left(now),
            )

    def release(self, order: TranscriptionOrder) -> None:
        try:
            if self.days is not None:
                self.days.give_back(order)
        finally:
            if self.book is not None:
                self.book.release(order.id)

    def transcribe(self, order: TranscriptionOrder) -> Transcription:
        require_known_language(order.language, self.capabilities())
        order.check()
        request = self._request(order)
        if order.sound.duration_ms < _LEAST_MS:
            return Transcription(language=self._silence(order), cues=_cues((), order))
        answer = self._asked(request, order)
        if answer.status != _OK:
            raise self._refusal(answer)
        try:
            read = read_answer(
                answer.body,
                wished=order.language,
                known=self.options.known_languages,
                duration_ms=order.sound.duration_ms,
            )
        except UnusableAnswerError as exc:
            raise TranscriptionError(
                "The transcription server gave no usable answer.", log=str(exc)
            ) from exc
        return Transcription(language=read.language, cues=_cues(read.cues, order))

    def ping(self) -> None:
        request = Request(method="GET", path="/v1/models", headers=self._headers)
        try:
            answer = exchange(
                self.options.url,
                request,
                within_s=min(_PING_S, self.options.timeout_s),
                most_bytes=self.options.max_answer_mb * 1_000_000,
                check=lambda: None,
            )
        except (OSError, http.client.HTTPException, TooLargeAnswerError) as exc:
            raise self._silent() from exc
        if answer.status in _REFUSED_KEY or answer.status >= _SERVER_FAILS:
            raise self._refusal(answer)

    def _silence(self, order: TranscriptionOrder) -> SpokenLanguage:
        """Return the language of a sound in which nothing is said."""
        if order.language is not None:
            return SpokenLanguage(code=order.language)
        return SpokenLanguage(code=min(self.options.known_languages), probability=0.0)

    def _asked(self, request: Request, order: TranscriptionOrder) -> Answer:
        """Return the first answer other than that the server is busy."""
        failure: Exception = self._silent()
        for attempt in range(self.options.attempts):
            pause_s = 2**attempt
            try:
                answer = exchange(
                    self.options.url,
                    request,
                    within_s=self.options.timeout_s,
                    most_bytes=self.options.max_answer_mb * 1_000_000,
                    check=order.check,
                )
            except TooLargeAnswerError as exc:
                raise TranscriptionError(
                    "The transcription server gave no usable answer.",
                    log="the answer is too large: see max_answer_mb",
                ) from exc
            except NotConnectedError as exc:
                failure = self._silent()
                failure.__cause__ = exc
            except (OSError, http.client.HTTPException) as exc:
                # If nobody wants the words any more, that is the cause.
                order.check()
                # The sound may be the cause, and its request may be on the bill.
                raise TranscriptionError(
                    "The transcription server failed.",
                    log=f"{self._host} took the sound and gave no answer: "
                    f"{type(exc).__name__}; see timeout_s in transcriber.options",
                ) from exc
            else:
                if answer.status not in _BUSY:
                    return answer
                failure = self._refusal(answer)
                pause_s = answer.retry_after_s or pause_s
            if pause_s > _LONGEST_WAIT_S:
                break
            if attempt + 1 < self.options.attempts:
                self._wait(pause_s, order.check)
        raise failure

    def _wait(self, pause_s: float, check: Callable[[], None]) -> None:
        while pause_s > 0:
            check()
            self.sleep(min(_STEP_S, pause_s))
            pause_s -= _STEP_S
        check()

    def _request(self, order: TranscriptionOrder) -> Request:
        fields = [
            ("model", self.options.model),
            ("response_format", "verbose_json"),
            ("timestamp_granularities[]", "word"),
            ("timestamp_granularities[]", "segment"),
            # Models that draw lots write another text each time.
            ("temperature", "0"),
        ]
        if order.language is not None:
            fields.append(("language", whisper_code(order.language)))
        boundary = uuid.uuid4().hex
        sound = _read(order.sound)
        content_type = f"multipart/form-data; boundary={boundary}"
        return Request(
            method="POST",
            path="/v1/audio/transcriptions",
            headers={**self._headers, "Content-Type": content_type},
            body=_multipart(fields, sound, boundary),
        )

    def _refusal(self, answer: Answer) -> Exception:
        host, status = self._host, answer.status
        if status in _REFUSED:
            # Any sound may be refused so: by a proxy with a limit of 1 MB, or by a model
            # that knows no times of words. So the operator is asked, and no job is lost.
            return UnavailableError(
                f"The transcription server {host} refuses a sound of up to 12 MB with "
                f"{status}: raise the limit of its proxy, or correct model in "
                "transcriber.options to one that knows verbose_json.",
                retry_after_s=_REFUSED_WAIT_S,
                said=self._said(answer),
            )
        if status in _BUSY:
            told = f"The transcription server {host} is busy: it answers {status}."
            return UnavailableError(told, retry_after_s=answer.retry_after_s or 60)
        if status >= _SERVER_FAILS:
            log = f"{host} answers {status}"
            return TranscriptionError("The transcription server failed.", log=log)
        return UnavailableError(
            f"The transcription server {host} answers {status}: correct url, model or "
            "key in transcriber.options.",
            retry_after_s=60,
        )

    def _silent(self) -> UnavailableError:
        return UnavailableError(
            f"The transcription server {self._host} does not answer."
        )

    def _said(self, answer: Answer) -> str | None:
        """Return the server's own words about a refusal, without the key."""
        try:
            said = str(json.loads(answer.body)["error"]["message"])
        except (LookupError, TypeError, ValueError, RecursionError):
            return None
        key = self.options.key
        return (said.replace(key, "…") if key else said)[:_MOST_SAID]

    @property
    def _host(self) -> str:
        return urlsplit(self.options.url).netloc

    @property
    def _headers(self) -> dict[str, str]:
        key = self.options.key
        return {"Authorization": f"Bearer {key}"} if key else {}


def _cues(
    cues: Sequence[SpokenCue], order: TranscriptionOrder
) -> Generator[SpokenCue, None, None]:
    for cue in cues:
        order.check()
        yield cue


def _read(sound: SoundFile) -> bytes:
    """Return the bytes of a sound after a look at its form: a server is paid for trying."""
    try:
        with wave.open(str(sound.path), "rb") as opened:
            form = (opened.getnchannels(), opened.getsampwidth(), opened.getframerate())
        data = sound.path.read_bytes()
    except (OSError, EOFError, wave.Error) as exc:
        raise UnusableSoundError("The sound cannot be read.") from exc
    if form != (1, 2, SOUND_RATE_HZ):
        raise UnusableSoundError("The sound is not mono, 16 bit and 16 kHz.")
    return data


def _multipart(fields: Sequence[tuple[str, str]], sound: bytes, boundary: str) -> bytes:
    parts = [
        f'--{boundary}\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{value}\r\n'
        for name, value in fields
    ]
    parts.append(
        f'--{boundary}\r\nContent-Disposition: form-data; name="file"; '
        'filename="sound.wav"\r\nContent-Type: audio/wav\r\n\r\n'
    )
    return b"".join(
        ["".join(parts).encode(), sound, f"\r\n--{boundary}--\r\n".encode()]
    )


def _seconds_of_the_day_left(now: datetime) -> int:
    today = now.astimezone(UTC)
    midnight = datetime.combine(today.date() + timedelta(days=1), datetime.min.time())
    return int((midnight.replace(tzinfo=UTC) - today).total_seconds()) + 1
