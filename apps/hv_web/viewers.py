"""
What a request shows of the one who wants to watch.
"""

import falcon

from hvcore.services.playback_access import Viewer


def viewer_of(req: falcon.Request) -> Viewer:
    """
    Return the tokens of the query, and the page that the request comes from.
    """
    return Viewer(
        tokens=tuple(req.get_param_as_list("token") or ()),
        origin=req.get_header("Origin"),
        referer=req.get_header("Referer"),
    )
