"""
Credentials of AWS that are given for a time: by a machine, a container or a role.

botocore renews them ten minutes before they end, and fails every call if it cannot; half
an answer it takes over, in the place of what was good.
"""

import inspect
import logging
import time
from collections.abc import Awaitable, Callable, Mapping
from datetime import UTC, datetime
from typing import Any, Final

from hvcore.errors import UnavailableError

ASKED_EVERY_S: Final = 10.0
"""After a question that failed, while the last ones are good."""
AGAIN_AFTER_S: Final = 2.0
"""After a question that failed, while there are none."""

_log = logging.getLogger(__name__)


def use_until_end(credentials: Any) -> None:  # noqa: ANN401 - botocore has no types
    """
    Have credentials of botocore or aiobotocore used until they end.

    Whoever needs newer ones and gets none raises UnavailableError. Credentials without
    an end stay as they are, as does None.
    """
    refresh = getattr(credentials, "_refresh_using", None)
    if refresh is not None and not isinstance(refresh, _Renewal):
        credentials._refresh_using = _Renewal(credentials, refresh)  # noqa: SLF001 - no other way


class _Renewal:
    """Gives what botocore takes over: new credentials, or good ones once more."""

    def __init__(self, credentials: Any, refresh: Callable[[], Any]) -> None:  # noqa: ANN401 - see use_until_end
        self._credentials = credentials
        self._refresh = refresh
        self._asked_again_at_s = 0.0

    def __call__(self) -> Any:  # noqa: ANN401 - members, or in aiobotocore a promise of them
        if time.monotonic() < self._asked_again_at_s:
            return self._former()
        try:
            found = self._refresh()
        except Exception as exc:  # noqa: BLE001 - of many kinds of providers
            return self._failed(exc)
        return (
            self._awaited(found) if inspect.isawaitable(found) else _whole(found, self)
        )

    async def _awaited(self, found: Awaitable[Any]) -> Mapping[str, Any]:
        try:
            told = await found
        except Exception as exc:  # noqa: BLE001 - of many kinds of providers
            return self._failed(exc)
        return _whole(told, self)

    def _failed(self, error: Exception) -> Mapping[str, Any]:
        _log.warning("AWS gives no credentials", extra={"hv_why": type(error).__name__})
        is_good = self._is_good()
        pause_s = ASKED_EVERY_S if is_good else AGAIN_AFTER_S
        self._asked_again_at_s = time.monotonic() + pause_s
        return self._former(error)

    def _is_good(self) -> bool:
        ends_at = self._credentials._expiry_time  # noqa: SLF001 - see use_until_end
        return ends_at is not None and ends_at > datetime.now(UTC)

    def _former(self, error: Exception | None = None) -> Mapping[str, Any]:
        if not self._is_good():
            raise UnavailableError(
                "AWS gives no credentials now; check the role, and the network to the "
                "machine's own service of credentials."
            ) from error
        own = self._credentials
        return {
            "access_key": own._access_key,  # noqa: SLF001 - see use_until_end
            "secret_key": own._secret_key,  # noqa: SLF001 - see use_until_end
            "token": own._token,  # noqa: SLF001 - see use_until_end
            "expiry_time": own._expiry_time.isoformat(),  # noqa: SLF001 - see use_until_end
        }


def _whole(found: Any, renewal: _Renewal) -> Mapping[str, Any]:  # noqa: ANN401 - of a stranger
    try:
        _check(found)
    except (KeyError, TypeError, ValueError) as exc:
        return renewal._failed(exc)  # noqa: SLF001 - of this module
    members: Mapping[str, Any] = found
    return members


def _check(found: Any) -> None:  # noqa: ANN401 - of a stranger
    texts = [found[name] for name in ("access_key", "secret_key", "token")]
    if not all(isinstance(text, str) and text for text in texts):
        raise ValueError("they are no texts")
    if datetime.fromisoformat(found["expiry_time"]) <= datetime.now(UTC):
        raise ValueError("they have ended already")
