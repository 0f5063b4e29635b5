"""
Hash the styles that media-chrome writes into the player's elements.

A page's policy names them, so that it needs no ``'unsafe-inline'``. After another
version of media-chrome came into ``vendor.json``, write them there anew::

    ./hv setup && .venv/bin/python -m tests.package.style_hashes
"""

import json
import sys
from base64 import b64encode
from hashlib import sha256

from playwright.sync_api import Page, Route

from hvcore_player.assets import STATIC
from tests.e2e.browsing import running_browser

VENDOR = STATIC.parent / "vendor.json"
PACKAGE = "media-chrome"
_ORIGIN = "http://player.test"
_TYPES = {".js": "text/javascript", ".mjs": "text/javascript"}
# Items of menus come with what is played.
_PAGE = """<!doctype html><hv-player></hv-player>
<media-chrome-menu-item></media-chrome-menu-item>
<script type="module" src="/hv-player.js"></script>"""
_COLLECT = """async () => {
    await customElements.whenDefined('hv-player');
    const found = new Set();
    const walk = (root) => {
        for (const element of root.querySelectorAll('*')) {
            if (element.localName === 'style') {
                found.add(element.textContent);
            }
            if (element.shadowRoot) {
                walk(element.shadowRoot);
            }
        }
    };
    walk(document);
    return [...found];
}"""


def style_hashes(page: Page) -> list[str]:
    """
    Return the hashes, as Content-Security-Policy has them, in order.
    """

    def answer(route: Route) -> None:
        path = route.request.url.removeprefix(f"{_ORIGIN}/")
        if not path:
            route.fulfill(body=_PAGE, content_type="text/html")
            return
        file = STATIC / path
        route.fulfill(body=file.read_bytes(), content_type=_TYPES[file.suffix])

    page.route(f"{_ORIGIN}/**", answer)
    page.goto(f"{_ORIGIN}/")
    styles: list[str] = page.evaluate(_COLLECT)
    digests = (sha256(style.encode()).digest() for style in styles)
    return sorted(f"sha256-{b64encode(digest).decode()}" for digest in digests)


def main() -> None:
    """
    Write them into vendor.json.
    """
    with running_browser() as browser:
        hashes = style_hashes(browser.new_page())
    packages = json.loads(VENDOR.read_text("utf-8"))
    packages[PACKAGE]["style_hashes"] = hashes
    VENDOR.write_text(json.dumps(packages, indent=2) + "\n", "utf-8")
    sys.stdout.write(f"{len(hashes)} styles of {PACKAGE}\n")


if __name__ == "__main__":
    main()
