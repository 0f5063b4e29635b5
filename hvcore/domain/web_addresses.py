"""
Addresses on the web, as messages may show them.
"""

import re


def without_secrets(url: str) -> str:
    """
    Return an address without what may be secret: userinfo, query, fragment.

    Meant for messages; takes any text.
    """
    head, separator, rest = url.partition("://")
    if not separator:
        return re.split(r"[?#]", url, maxsplit=1)[0].rpartition("@")[2]
    authority, _, path = re.split(r"[?#]", rest, maxsplit=1)[0].partition("/")
    return f"{head}://{authority.rpartition('@')[2]}/{path.rpartition('@')[2]}"
