"""Signing in and out."""

from typing import Final

from hvcore_dashboard.resources import sign_in
from hvcore_dashboard.routing import ROOT, Audience, PageRoute

_SIGN_IN: Final = f"{ROOT}/sign-in"


def _open(method: str, path: str, resource: type) -> PageRoute:
    return PageRoute(method, path, resource, needs=Audience.EVERYBODY)


ROUTES: Final[tuple[PageRoute, ...]] = (
    _open("GET", _SIGN_IN, sign_in.SignInResource),
    _open("GET", f"{_SIGN_IN}/begin", sign_in.SignInBeginResource),
    _open("GET", f"{_SIGN_IN}/callback", sign_in.SignInCallbackResource),
    _open("GET", f"{_SIGN_IN}/link", sign_in.SignInLinkResource),
    _open("POST", f"{_SIGN_IN}/link", sign_in.SignInLinkResource),
    _open("GET", f"{ROOT}/sign-out", sign_in.SignOutResource),
    PageRoute(
        "POST",
        f"{ROOT}/sign-out",
        sign_in.SignOutResource,
        needs=Audience.SIGNED_IN,
        leaves=True,
    ),
)
