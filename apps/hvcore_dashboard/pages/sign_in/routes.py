"""Routes of signing in and signing out."""

from typing import Final

from hvcore_dashboard.pages.sign_in import mails, resources
from hvcore_dashboard.routing import ROOT, Audience, PageRoute

_SIGN_IN: Final = f"{ROOT}/sign-in"


def _open(method: str, path: str, resource: type) -> PageRoute:
    return PageRoute(method, path, resource, needs=Audience.EVERYBODY)


ROUTES: Final[tuple[PageRoute, ...]] = (
    _open("GET", _SIGN_IN, resources.SignInResource),
    _open("GET", f"{_SIGN_IN}/begin", resources.SignInBeginResource),
    _open("GET", f"{_SIGN_IN}/callback", resources.SignInCallbackResource),
    _open("GET", f"{_SIGN_IN}/link", resources.SignInLinkResource),
    _open("POST", f"{_SIGN_IN}/link", resources.SignInLinkResource),
    _open("GET", f"{_SIGN_IN}/mail", mails.SignInMailResource),
    _open("POST", f"{_SIGN_IN}/mail", mails.SignInMailResource),
    _open("GET", f"{ROOT}/sign-out", resources.SignOutResource),
    PageRoute(
        "POST",
        f"{ROOT}/sign-out",
        resources.SignOutResource,
        needs=Audience.SIGNED_IN,
        leaves=True,
    ),
)
