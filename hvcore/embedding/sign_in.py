"""Let the host program's own signed-in users call the API, without API keys."""

from collections.abc import Callable, Collection
from contextvars import ContextVar
from typing import Final

from hvcore.domain.access.keys import Permission
from hvcore.domain.access.principals import Person, Principal
from hvcore.domain.ids import OrgId
from hvcore.domain.web_addresses import is_origin_at
from hvcore.embedding.web import WsgiEnviron
from hvcore.ports.auth import AuthProvider, Credentials

SignIn = Callable[[WsgiEnviron], Principal | None]
"""
Returns who a request of the host program comes from, by its WSGI environment; None if
nobody is signed in. Called in the thread of the request, before the API answers.
"""

BACKEND: Final = "host"
"""The sign-in backend of such people, in the audit log and in rate limits."""
_SAFE: Final = frozenset({"GET", "HEAD", "OPTIONS"})
_caller: Final[ContextVar[Principal | None]] = ContextVar("hv_caller", default=None)


def person(
    subject: str,
    *,
    org_id: str,
    permissions: Collection[Permission],
    name: str = "",
) -> Principal:
    """
    Return a user of the host program as a caller of the API.

    Args:
        subject: The host program's id of the user, unique and never given to another one.
        org_id: The organization, all environments of which the user may use.
        permissions: What the user may do with every video of the organization; a
            customer who only watches needs ``VIDEOS_READ``, or none.
        name: The name for the audit log; the subject if empty.
    """
    return Principal(
        org_id=OrgId(org_id),
        env_id=None,
        permissions=frozenset(permissions),
        person=Person(subject=subject, name=name or subject, backend=BACKEND),
    )


class HostUsers(AuthProvider):
    """The authentication provider that takes the caller whom the host program names."""

    def authenticate(self, credentials: Credentials) -> Principal | None:
        """Return the caller that the host program named for this thread's request; None if none."""
        del credentials  # the host program has read them
        return _caller.get()


def signed_in_by(sign_in: SignIn, environ: WsgiEnviron) -> "_Call":
    """Ask ``sign_in`` for a request's caller, whom ``HostUsers`` returns within the block."""
    return _Call(sign_in(environ) if _is_meant(environ) else None)


class _Call:
    def __init__(self, caller: Principal | None) -> None:
        self._token = _caller.set(caller)

    def __enter__(self) -> None: ...

    def __exit__(self, *_: object) -> None:
        _caller.reset(self._token)


def _is_meant(environ: WsgiEnviron) -> bool:
    """
    Return whether a page of the same origin sends the request, not another's.

    Browsers send the host program's cookies along with both.
    """
    if environ["REQUEST_METHOD"] in _SAFE:
        return True
    # A neighbour on another host or port of the same site is not ours either.
    site = environ.get("HTTP_SEC_FETCH_SITE")
    if site is not None:
        return site in {"same-origin", "none"}
    origin = environ.get("HTTP_ORIGIN")
    host = str(environ.get("HTTP_HOST", ""))
    return origin is None or is_origin_at(str(origin), host)
