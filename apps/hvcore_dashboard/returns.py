"""
Remember in a cookie which page a person wanted to open before signing in.

The person signs in by a link that does not name that page.
"""

import base64
from typing import Final

import falcon

from hvcore.domain.ids import OrgId
from hvcore.domain.sign_in.people import SignedInPerson
from hvcore.services.sign_in.sign_ins import safe_return
from hvcore_dashboard.cookies import Cookies
from hvcore_dashboard.routing import ROOT

_RETURN: Final = "hv_return"
_START: Final = f"{ROOT}/"
_LASTS_S: Final = 3_600


def keep_return(cookies: Cookies, resp: falcon.Response, path: str) -> None:
    """Store the path of the page that a person wanted to open in a cookie."""
    value = base64.urlsafe_b64encode(safe_return(path).encode()).decode()
    cookies.keep(resp, _RETURN, value, max_age_s=_LASTS_S)


def take_return(
    cookies: Cookies,
    req: falcon.Request,
    resp: falcon.Response,
    person: SignedInPerson,
    *,
    mailed: str = "",
) -> str:
    """
    Return the path of the page to open after signing in, and remove the cookie that has it.

    The start page is returned if there is none, or if the page is of an organization in which
    the person has no role: another person may have wanted to open it.

    Args:
        mailed: The page for which a mailed link was requested, perhaps in another browser;
            "" for none.
    """
    value = cookies.read(req, _RETURN)
    if value:
        cookies.forget(resp, _RETURN)
    path = safe_return(mailed) if mailed else _read(value or "")
    org_id = path.removeprefix(ROOT).partition("?")[0].strip("/").partition("/")[0]
    is_theirs = person.is_operator or person.role_in(OrgId(org_id)) is not None
    return path if is_theirs else _START


def _read(value: str) -> str:
    try:
        return safe_return(base64.urlsafe_b64decode(value).decode())
    except ValueError:
        # Not ours.
        return _START
