"""
The place in the list of videos from which a video was opened: search, filters, order and page.

The first page of a video learns its place from the Referer, so that the links of a long list
stay short; the video's further links and forms carry the place in the parameter ``list``. A
place has known parameters of the list and nothing else: it cannot lead elsewhere.
"""

from collections.abc import Mapping
from typing import Final
from urllib.parse import parse_qsl, urlencode

import attrs
import falcon

from hvcore.domain.web_addresses import is_origin_at, read_address
from hvcore_dashboard.routing import ROOT, VIDEO

LIST: Final = "list"
"""The query parameter that carries a place."""
CHOOSING: Final = (
    *("search", "spoken", "tag", "externalID", "metadata"),
    *("allowPublicAccess", "status", "from", "to"),
)
"""The list's parameters that choose videos."""
PARAMETERS: Final = (*CHOOSING, "sortBy", "sortDir", "page", "pageSize")
DEFAULTS: Final[Mapping[str, str]] = {
    "page": "1",
    "pageSize": "24",
    "sortBy": "created_at",
    "sortDir": "desc",
}
MOST_CHARS: Final = 2_000
"""The longest place, as it is written in an address."""
_MOST_FIELDS: Final = 40
_ENV: Final = "env"


@attrs.frozen(kw_only=True)
class ListPlace:
    """
    A place in the list of videos.

    Attributes:
        values: The list's parameters, without those that have their default.
    """

    values: Mapping[str, str] = attrs.field(factory=dict)

    @classmethod
    def of_query(cls, text: str) -> "ListPlace":
        """Return the place in the list of videos that a query string names; its beginning if none."""
        if len(text) > MOST_CHARS:
            return cls()
        try:
            pairs = dict(parse_qsl(text, max_num_fields=_MOST_FIELDS))
        except ValueError:
            return cls()
        return cls.of_values(pairs)

    @classmethod
    def of_values(cls, values: Mapping[str, str]) -> "ListPlace":
        """Return the place with these values of the list's parameters; others are left out."""
        return cls(
            values={
                name: values[name]
                for name in PARAMETERS
                if values.get(name) and values[name] != DEFAULTS.get(name)
            }
        )

    @property
    def text(self) -> str:
        """The place as a query string; empty if it is the beginning of the list, or too long."""
        text = urlencode(self.values)
        return text if len(text) <= MOST_CHARS else ""


def place_of(req: falcon.Request, *, root: str, env: str | None) -> ListPlace:
    """
    Return the place in the list from which the page of a request was reached.

    Args:
        root: The path of the dashboard, as browsers see it.
        env: The environment that the request names; None for the default one.
    """
    carried = req.get_param(LIST)
    if carried is not None:
        return ListPlace.of_query(carried)
    parts = read_address(req.get_header("Referer") or "")
    if parts is None or not is_origin_at(
        f"{parts.scheme}://{parts.netloc}", req.get_header("Host")
    ):
        return ListPlace()
    org_path = req.path.removeprefix(f"{ROOT}/").partition("/")[0]
    if parts.path != f"{root}/{org_path}/videos":
        return ListPlace()
    try:
        its_env = dict(parse_qsl(parts.query, max_num_fields=_MOST_FIELDS)).get(_ENV)
    except ValueError:
        return ListPlace()
    return ListPlace.of_query(parts.query) if its_env == env else ListPlace()


def keeps_place(req: falcon.Request) -> bool:
    """Return whether the page of a request belongs to a video, so that its links carry the list place."""
    return (req.uri_template or "").startswith(VIDEO)
