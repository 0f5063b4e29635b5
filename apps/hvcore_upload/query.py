"""Read the query of an upload address: the grant, the time of expiry and the signature."""

import falcon

from hvcore.errors import ForbiddenError


def single(req: falcon.Request, name: str) -> str:
    """
    Return the value of a parameter that must be in the query of an upload address exactly once.

    Raises:
        ForbiddenError: The parameter is missing, or is there several times.
    """
    values = req.get_param_as_list(name) or []
    if len(values) != 1:
        raise ForbiddenError(
            "This upload address is not complete; use it as it was given."
        )
    return values[0]
