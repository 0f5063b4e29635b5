"""
Add the viewer's token to the addresses in a playlist, a manifest or a storyboard.

Source: the interface document, "Delivery": the token reaches every variant and segment
request, so that only the first URL needs to be signed.
"""

import re
from html import escape, unescape
from typing import Final
from urllib.parse import quote

# One attribute of a list (RFC 8216, section 4.2). Quoted strings are matched
# whole, so that what looks like an attribute inside of one is left alone.
_ATTRIBUTE = re.compile(r'([A-Z0-9-]+)=("[^"]*"|[^",]*)')
_WITHOUT_ATTRIBUTES: Final = ("#EXTINF:",)
# With a scheme or an authority: another host's, or data.
_ABSOLUTE = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:|//")
# A manifest has its addresses in these tags alone. In XML a "<" is always
# markup, and our writer escapes ">" in attributes, so texts cannot look like it.
_TEMPLATE = re.compile(r"<SegmentTemplate [^>]*>")
_TEMPLATE_ADDRESS = re.compile(r' (initialization|media)="([^"]*)"')
_BASE_ADDRESS = re.compile(r"(?<=<BaseURL>)[^<]*")

_CUE_ADDRESS = re.compile(r"(?<=[0-9]\n)\S+")


def carry_token(text: str, token: str) -> str:
    """
    Return an HLS playlist with the query parameter ``token`` added to every relative URL.

    Absolute URLs get no token, so that the token is sent to no other server.
    """
    added = _added(token)
    return "\n".join(_line(line, added) for line in text.split("\n"))


def carry_token_in_manifest(text: str, token: str) -> str:
    """Return a DASH manifest that the service has rendered, with the query parameter ``token`` added to every URL."""
    added = _added(token)

    def rewrite(match: re.Match[str]) -> str:
        return f' {match[1]}="{_escaped(unescape(match[2]), added)}"'

    text = _BASE_ADDRESS.sub(lambda match: _escaped(unescape(match[0]), added), text)
    return _TEMPLATE.sub(
        lambda template: _TEMPLATE_ADDRESS.sub(rewrite, template[0]), text
    )


def carry_token_in_storyboard(text: str, token: str) -> str:
    """Return a storyboard's index that the service has rendered, with the query parameter ``token`` added to every URL."""
    added = _added(token)
    # Every cue is two lines: its times, and the address.
    return _CUE_ADDRESS.sub(lambda match: _address(match[0], added), text)


def _escaped(address: str, added: str) -> str:
    return escape(_address(address, added))


def _added(token: str) -> str:
    # With its "$" escaped, too, which means something in a DASH template.
    return f"token={quote(token, safe='')}"


def _line(line: str, added: str) -> str:
    content = line.rstrip("\r")
    ending = line[len(content) :]
    if not content.strip():
        return line
    if not content.startswith("#"):
        return _address(content, added) + ending
    if not content.startswith("#EXT") or content.startswith(_WITHOUT_ATTRIBUTES):
        return line
    name, colon, attributes = content.partition(":")
    return name + colon + _attributes(attributes, added) + ending


def _attributes(attributes: str, added: str) -> str:
    def rewrite(match: re.Match[str]) -> str:
        name, value = match[1], match[2]
        if name != "URI" or not value.startswith('"'):
            return match[0]
        return f'URI="{_address(value[1:-1], added)}"'

    return _ATTRIBUTE.sub(rewrite, attributes)


def _address(address: str, added: str) -> str:
    if not address or _ABSOLUTE.match(address):
        return address
    before, hash_, fragment = address.partition("#")
    path, _, query = before.partition("?")
    joint = "" if not query or query.endswith("&") else "&"
    return f"{path}?{query}{joint}{added}{hash_}{fragment}"
