"""Links from error answers to the pages that explain their codes."""

import falcon

from hvcore_web.documentation.site import is_built


class HelpLinkMiddleware:
    """
    Falcon middleware that adds ``Link: <…>; rel="help"`` to each problem document.

    Source: RFC 8288, section 3.

    Args:
        help_url: The beginning of the address; the error code is appended.
    """

    def __init__(self, help_url: str) -> None:
        self._help_url = help_url

    def process_response(
        self,
        _req: falcon.Request,
        resp: falcon.Response,
        _resource: object,
        _req_succeeded: bool,  # noqa: FBT001 - Falcon's signature
    ) -> None:
        """Add the link if the answer is a problem document with a code."""
        code = getattr(resp.context, "problem_code", "")
        if code:
            resp.append_header("Link", f'<{self._help_url}{code}>; rel="help"')


def help_links(api_url: str) -> list[HelpLinkMiddleware]:
    """Return the middleware that links errors to the documentation; empty if none is built."""
    return [HelpLinkMiddleware(f"{api_url}/docs/errors/")] if is_built() else []
