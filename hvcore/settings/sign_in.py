"""The settings of the dashboard, and of signing in to it."""

from collections.abc import Mapping
from typing import Any, Final

import attrs

MIN_SECRET_CHARS: Final = 32
MOST_ASKED_EVERY_S: Final = 300
"""Whoever has lost the membership is out five minutes later."""
MOST_SESSION_S: Final = 366 * 24 * 3600
MOST_BIN_HOURS: Final = 23
"""Files of deleted videos are gone within 24 hours."""
MOST_ATTEMPTS: Final = 1_000_000


@attrs.frozen(kw_only=True)
class DashboardSettings:
    """
    The settings of the dashboard, the web pages for people.

    Attributes:
        enabled: Whether ``hv api`` serves the dashboard at ``/dashboard``.
        operators: The people who see all organizations and the system: their subjects
            or proven mail addresses, as a sign-in backend gives them.
        session_idle_s: A session that is not used for so many seconds ends.
        session_total_s: Every session ends after so many seconds, even if it is used.
        bin_hours: How many hours a video that is deleted on the dashboard can be
            restored: 0 to 23; with 0 it is deleted for good.
    """

    enabled: bool = True
    operators: tuple[str, ...] = ()
    session_idle_s: int = attrs.field(default=12 * 3600)
    session_total_s: int = attrs.field(default=7 * 24 * 3600)
    bin_hours: int = attrs.field(default=20)

    @session_idle_s.validator
    def _check_idle(self, field: "attrs.Attribute[int]", value: int) -> None:
        _check_seconds(field, value, at_most=MOST_SESSION_S)

    @session_total_s.validator
    def _check_total(self, field: "attrs.Attribute[int]", value: int) -> None:
        _check_seconds(field, value, at_most=MOST_SESSION_S)

    @bin_hours.validator
    def _check_bin(self, field: "attrs.Attribute[int]", value: int) -> None:
        if not 0 <= value <= MOST_BIN_HOURS:
            raise ValueError(
                f"{field.name} must be from 0 to {MOST_BIN_HOURS} hours, not {value}"
            )


@attrs.frozen(kw_only=True)
class SignInSettings:
    """
    The settings of signing in to the dashboard.

    Attributes:
        backend: The name of the sign-in backend that recognises people.
        oidc: The options of the backend ``oidc``.
        options: The options of the other backends, by the backends' names.
        secret: The secret with which data of sign-in backends is encrypted in the
            database; at least 32 characters; derived from ``uploads.signing_key`` if
            empty.
        asked_every_s: How many seconds pass before the backend is asked again whether a
            person still belongs, at most 300.
        attempts_per_minute: How many sign-ins one client address may attempt in a
            minute.
    """

    backend: str = "link"
    oidc: Mapping[str, Any] = attrs.field(factory=dict, repr=False)
    options: Mapping[str, Any] = attrs.field(factory=dict, repr=False)
    secret: str = attrs.field(default="", repr=False)
    asked_every_s: int = attrs.field(default=MOST_ASKED_EVERY_S)
    attempts_per_minute: int = attrs.field(default=20)

    @secret.validator
    def _check_secret(self, _: object, value: str) -> None:
        if value and len(value) < MIN_SECRET_CHARS:
            # Not repeated: it is a secret.
            raise ValueError(
                f"sign_in.secret must have at least {MIN_SECRET_CHARS} random "
                "characters; leave it out to have one made"
            )

    @asked_every_s.validator
    def _check_asked_every(self, field: "attrs.Attribute[int]", value: int) -> None:
        _check_seconds(field, value, at_most=MOST_ASKED_EVERY_S)

    @attempts_per_minute.validator
    def _check_attempts(self, field: "attrs.Attribute[int]", value: int) -> None:
        if not 1 <= value <= MOST_ATTEMPTS:
            raise ValueError(
                f"{field.name} must be from 1 to {MOST_ATTEMPTS:,}, not {value}"
            )

    def options_of(self, backend: str) -> Mapping[str, Any]:
        """Return the options of a sign-in backend."""
        named: Mapping[str, Any] = self.options.get(backend, {})
        return {**named, **self.oidc} if backend == "oidc" else named


def _check_seconds(field: "attrs.Attribute[int]", value: int, *, at_most: int) -> None:
    if not 1 <= value <= at_most:
        raise ValueError(
            f"{field.name} must be from 1 to {at_most:,} seconds, not {value}"
        )
