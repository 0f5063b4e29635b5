"""The settings of the transcriber that asks a server."""

import re
from typing import Final

import attrs

from hvcore_transcriber_http.languages import CODE_OF_NAME

_USER_INFORMATION: Final = re.compile(r"(?<=://)[^/?#]*@")
# What a header may hold (RFC 9110, section 5.5).
_KEY: Final = re.compile(r"[!-~]*")
_MODEL: Final = re.compile(r"[!-~]{1,200}")
_LANGUAGE: Final = re.compile(r"[a-z]{2,3}")
MOST_ATTEMPTS: Final = 10
MOST_ANSWER_MB: Final = 1_000


@attrs.frozen(kw_only=True)
class HttpTranscriberOptions:
    """
    Settings under ``[transcriber.options]``, for the backend ``http``.

    Attributes:
        url: The address of the server, without ``/v1`` and without user and password.
        model: The name of the model, as the server knows it.
        key: The secret key, sent as ``Authorization: Bearer``; empty: none is sent.
        languages: The languages that the model knows, as subtags with commas between
            them; empty: those of Whisper's models.
        timeout_s: How many seconds a request may take, until the end of its answer.
        attempts: How often a request is sent until the server takes it.
        daily_limit_s: The most seconds of sound that are sent on a day (UTC); 0: no
            limit.
        organization_daily_limit_s: The most seconds of sound of one organization that are
            sent on a day (UTC), so that none uses up what all may send; 0: no limit.
        max_answer_mb: The most megabytes of an answer that are read.
    """

    url: str = attrs.field()
    model: str = attrs.field(default="whisper-1")
    key: str = attrs.field(default="", repr=False)
    languages: str = attrs.field(default="")
    timeout_s: float = attrs.field(default=600.0)
    attempts: int = attrs.field(default=3)
    daily_limit_s: int = attrs.field(default=0)
    organization_daily_limit_s: int = attrs.field(default=0)
    max_answer_mb: int = attrs.field(default=16)

    @url.validator
    def _check_url(self, _: object, value: str) -> None:
        if _USER_INFORMATION.search(value):
            raise ValueError(
                "url must be without user and password; a key belongs into key"
            )
        if not value.startswith(("http://", "https://")) or "?" in value:
            raise ValueError(f"url must be http(s)://host, not {value!r}")

    @model.validator
    def _check_model(self, _: object, value: str) -> None:
        if not _MODEL.fullmatch(value):
            raise ValueError(f"model must be a name without spaces, not {value!r}")

    @key.validator
    def _check_key(self, _: object, value: str) -> None:
        if not _KEY.fullmatch(value):
            # Without the value: it is a secret.
            raise ValueError(
                "key must be printable ASCII without spaces or line breaks; a file that "
                "it was read from often ends with a line break"
            )

    @languages.validator
    def _check_languages(self, _: object, value: str) -> None:
        wrong = [one for one in _listed(value) if not _LANGUAGE.fullmatch(one)]
        if wrong:
            raise ValueError(
                f"languages must be subtags such as en, with commas, not {wrong[0]!r}"
            )

    @timeout_s.validator
    def _check_timeout_s(self, _: object, value: float) -> None:
        if value <= 0:
            raise ValueError(f"timeout_s must be more than 0, not {value}")

    @attempts.validator
    def _check_attempts(self, _: object, value: int) -> None:
        if not 1 <= value <= MOST_ATTEMPTS:
            raise ValueError(f"attempts must be from 1 to {MOST_ATTEMPTS}, not {value}")

    @daily_limit_s.validator
    @organization_daily_limit_s.validator
    def _check_limit_s(self, field: "attrs.Attribute[int]", value: int) -> None:
        if value < 0:
            raise ValueError(f"{field.name} must be 0 or more, not {value}")

    @max_answer_mb.validator
    def _check_max_answer_mb(self, _: object, value: int) -> None:
        if not 1 <= value <= MOST_ANSWER_MB:
            raise ValueError(
                f"max_answer_mb must be from 1 to {MOST_ANSWER_MB}, not {value}"
            )

    @property
    def known_languages(self) -> frozenset[str]:
        """The languages that the model knows."""
        return frozenset(_listed(self.languages) or CODE_OF_NAME.values())


def _listed(text: str) -> list[str]:
    return [one.strip() for one in text.split(",") if one.strip()]
