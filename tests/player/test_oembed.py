"""
How other sites find out how to embed a page.
"""

import re
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import parse_qsl, quote, urlencode, urlsplit

import pytest
from falcon.testing import Result

from hvcore_player.app import STATIC
from hvcore_player.oembed import EMBED_PARAMETERS
from tests.support.http.cinema import PLAYER, WORKER, Cinema
from tests.support.http.world import World, body_of, problem_of

PLAYER_DOCS = Path(__file__).parents[2] / "docs" / "reference" / "player.md"
LISTED = {"Origin": "https://shop.example.com"}


class Tags(HTMLParser):
    """
    The tags of a page, each with its attributes.
    """

    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str]]] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, {name: value or "" for name, value in attrs}))

    def of(self, tag: str) -> list[dict[str, str]]:
        """The attributes of every such tag."""
        return [attributes for name, attributes in self.found if name == tag]


@pytest.fixture
def cinema(api: World) -> Cinema:
    cinema = Cinema(api=api)
    cinema.video = cinema.playable(is_public=True)
    return cinema


def embed_url(cinema: Cinema) -> str:
    return f"{PLAYER}/v1/embed/{cinema.video}"


def asked(cinema: Cinema, url: str, query: str = "", **headers: str) -> Result:
    return cinema.player.simulate_get(
        "/oembed", query_string=f"url={quote(url, safe='')}{query}", headers=headers
    )


def metas(page: Result) -> dict[str, str]:
    return {
        tag.get("property") or tag.get("name", ""): tag.get("content", "")
        for tag in Tags(page.text).of("meta")
    }


def test_a_public_video_is_described_as_the_standard_says(cinema: Cinema) -> None:
    result = asked(cinema, embed_url(cinema), "&format=json")

    assert result.status_code == 200
    assert result.headers["content-type"] == "application/json"
    assert result.headers["access-control-allow-origin"] == "*"
    document = dict(result.json)
    assert document.pop("html").startswith("<iframe ")
    assert document == {
        "version": "1.0",
        "type": "video",
        "title": "clip",
        "provider_name": "127.0.0.1",
        "provider_url": PLAYER,
        "cache_age": 3600,
        "width": 1280,
        "height": 720,
        "thumbnail_url": f"{WORKER}/t/{cinema.video}/1280x720.jpg",
        "thumbnail_width": 1280,
        "thumbnail_height": 720,
    }


def test_the_frame_may_do_what_a_player_does(cinema: Cinema) -> None:
    document = asked(cinema, embed_url(cinema)).json

    (frame,) = Tags(document["html"]).of("iframe")

    assert frame == {
        "src": embed_url(cinema),
        "width": str(document["width"]),
        "height": str(document["height"]),
        "title": "clip",
        "frameborder": "0",
        "allow": "autoplay; fullscreen; picture-in-picture",
        "allowfullscreen": "",
        "loading": "lazy",
        "referrerpolicy": "strict-origin-when-cross-origin",
    }


@pytest.mark.parametrize(
    ("query", "size_px", "picture_px"),
    [
        ("&maxwidth=640", (640, 360), (640, 360)),
        ("&maxheight=180", (320, 180), (320, 180)),
        ("&maxwidth=400&maxheight=400", (400, 225), (320, 180)),
        ("&maxwidth=100", (100, 56), None),
        ("&maxwidth=9999", (1280, 720), (1280, 720)),
    ],
)
def test_an_embedding_fits_into_the_allowed_size(
    cinema: Cinema,
    query: str,
    size_px: tuple[int, int],
    picture_px: tuple[int, int] | None,
) -> None:
    document = asked(cinema, embed_url(cinema), query).json

    assert (document["width"], document["height"]) == size_px
    if picture_px is None:
        assert "thumbnail_url" not in document
    else:
        found = document["thumbnail_width"], document["thumbnail_height"]
        assert found == picture_px
        name = f"{picture_px[0]}x{picture_px[1]}.jpg"
        assert document["thumbnail_url"].endswith(name)


@pytest.mark.parametrize(
    ("query", "status"),
    [
        ("&maxwidth=x", 422),
        ("&maxwidth=-1", 422),
        ("&maxwidth=1e3", 422),
        ("&maxheight=0", 400),
        ("&maxheight=99999", 400),
        ("&maxheight=999999999999", 422),
    ],
)
def test_a_size_that_is_none_is_refused(
    cinema: Cinema, query: str, status: int
) -> None:
    problem = problem_of(
        asked(cinema, embed_url(cinema), query), status, "invalid_parameters"
    )

    assert problem["errors"][0]["location"].startswith("query.max")


def test_no_address_is_refused(cinema: Cinema) -> None:
    result = cinema.player.simulate_get("/oembed")

    problem = problem_of(result, 400, "invalid_parameters")
    assert problem["errors"][0]["location"] == "query.url"


@pytest.mark.parametrize("format_", ["xml", "JSON"])
def test_other_formats_are_not_implemented(cinema: Cinema, format_: str) -> None:
    result = asked(cinema, embed_url(cinema), f"&format={format_}")

    problem_of(result, 501, "unsupported_format")


def test_a_private_video_is_not_described_even_with_its_token(cinema: Cinema) -> None:
    cinema.video = cinema.playable(is_public=False)
    signed = body_of(cinema.api.get(f"/v1/videos/{cinema.video}/signed-url"))
    token = signed["signed_url"].partition("?token=")[2]

    for url in (embed_url(cinema), f"{embed_url(cinema)}?token={token}"):
        result = asked(cinema, url)
        problem_of(result, 401, "unauthorized")
        assert "clip" not in result.text
    with_token = asked(cinema, embed_url(cinema), f"&token={token}")
    problem_of(with_token, 401, "unauthorized")


def test_a_share_link_is_not_described(cinema: Cinema) -> None:
    problem_of(
        asked(cinema, f"{PLAYER}/v1/watch/{cinema.share()}"), 401, "unauthorized"
    )


@pytest.mark.parametrize(
    "url",
    [
        "https://elsewhere.test/v1/embed/{video}",
        "{player}/v1/embed/vid_0000000000000000000000",
        "{player}/v1/embed/{video}/",
        "{player}/v1/embed/",
        "{player}/v1/player/embed.js",
        "{player}/v1/ek_0000000000000000000000",
        "{player}",
        "ftp://127.0.0.1:8081/v1/embed/{video}",
        "http://[::1/v1/embed/{video}",
        "http://127.0.0.1:port/v1/embed/{video}",
        "//127.0.0.1:8081/v1/embed/{video}",
        "x",
        "\0",
    ],
)
def test_a_url_of_no_video_page_is_not_found(cinema: Cinema, url: str) -> None:
    result = asked(cinema, url.format(player=PLAYER, video=cinema.video))

    assert result.status_code == 404
    assert result.headers["access-control-allow-origin"] == "*"


def test_a_deleted_video_is_not_found_any_more(cinema: Cinema) -> None:
    assert asked(cinema, embed_url(cinema)).status_code == 200
    body_of(cinema.api.delete(f"/v1/videos/{cinema.video}"))

    problem_of(asked(cinema, embed_url(cinema)), 404, "video_not_found")


def test_an_edge_key_is_described_without_what_runs_out(cinema: Cinema) -> None:
    cinema.video = cinema.playable(is_public=False)
    key = cinema.edge_key()

    result = asked(cinema, f"{PLAYER}/v1/{key}")

    assert result.status_code == 200
    assert result.json["title"] == "clip"
    assert f'src="{PLAYER}/v1/{key}"' in result.json["html"]
    assert "thumbnail_url" not in result.json
    assert "token" not in result.text
    assert result.headers["cache-control"] == "no-store"


def test_an_edge_key_with_domains_names_its_video_to_their_pages_alone(
    cinema: Cinema,
) -> None:
    key = cinema.edge_key(domains=["*.example.com"])
    url = f"{PLAYER}/v1/{key}"

    listed = asked(cinema, url, **LISTED)
    unlisted = asked(cinema, url, Origin="https://evil.test")
    server = asked(cinema, url)

    assert listed.json["title"] == "clip"
    for result in (unlisted, server):
        assert result.status_code == 200
        assert "clip" not in result.text
        assert f'src="{url}"' in result.json["html"]
        assert 'title="Video"' in result.json["html"]


def test_an_edge_key_that_is_over_is_not_found(cinema: Cinema) -> None:
    key = cinema.edge_key()
    body_of(cinema.api.delete(f"/v1/edge-keys/{key}"))

    problem_of(asked(cinema, f"{PLAYER}/v1/{key}"), 404, "not_found")


def test_the_frame_keeps_what_the_player_can_be_told(cinema: Cinema) -> None:
    told = dict.fromkeys(sorted(EMBED_PARAMETERS), "1") | {"muted": ""}
    others = {"token": "secret", "onload": '"><script>'}
    url = f"{embed_url(cinema)}?{urlencode(told | others)}"

    document = asked(cinema, url).json

    (frame,) = Tags(document["html"]).of("iframe")
    assert dict(parse_qsl(urlsplit(frame["src"]).query, keep_blank_values=True)) == told


def test_the_parameters_are_those_of_the_page_and_of_its_docs() -> None:
    script = (STATIC / "embed.js").read_text(encoding="utf-8")
    # Arguments of query.get() and the like, and lists of names.
    places = r'(?:query[.]\w+|isOn)[(]("[^"]+")|^\[(.+)\][.](?:filter|forEach)'
    found = re.findall(places, script, re.MULTILINE)
    read = {name for two in found for name in re.findall(r'"([a-z][a-z-]*)"', str(two))}
    docs = PLAYER_DOCS.read_text(encoding="utf-8")
    _, _, section = docs.partition("## Query parameters of the frame")
    table = re.findall(
        r"^\| `([a-z-]+)` \|", section.partition("\n## ")[0], re.MULTILINE
    )

    assert read == set(table) == EMBED_PARAMETERS | {"token"}


def test_a_name_cannot_become_markup(cinema: Cinema) -> None:
    cinema.rename("\"></iframe><script>alert(1)</script>\u202e\r\n'x'")

    document = asked(cinema, embed_url(cinema)).json

    tags = Tags(document["html"])
    assert [name for name, _ in tags.found] == ["iframe"]
    assert tags.of("iframe")[0]["title"] == "\"></iframe><script>alert(1)</script> 'x'"
    assert "\u202e" not in document["title"]


def test_the_page_of_a_public_video_leads_to_its_description(cinema: Cinema) -> None:
    page = cinema.page(f"/v1/embed/{cinema.video}")

    (link,) = [
        link for link in Tags(page.text).of("link") if link["rel"] == "alternate"
    ]

    assert link["type"] == "application/json+oembed"
    assert link["title"] == "clip"
    found = urlsplit(link["href"])
    assert link["href"].startswith(f"{PLAYER}/oembed?")
    result = cinema.player.simulate_get(found.path, query_string=found.query)
    assert f'src="{embed_url(cinema)}"' in result.json["html"]


def test_the_page_of_a_public_video_shows_a_preview(cinema: Cinema) -> None:
    found = metas(cinema.page(f"/v1/embed/{cinema.video}"))

    assert found["og:title"] == found["twitter:title"] == "clip"
    assert found["og:url"] == found["og:video"] == embed_url(cinema)
    assert found["twitter:player"] == embed_url(cinema)
    assert found["twitter:card"] == "player"
    assert found["og:type"] == "video.other"
    assert found["og:video:type"] == "text/html"
    assert (found["og:video:width"], found["og:video:height"]) == ("1280", "720")
    picture = urlsplit(found["og:image"]).path
    assert found["og:image"] == found["twitter:image"]
    assert cinema.load(picture).status_code == 200


def test_pages_of_other_videos_show_no_preview(cinema: Cinema) -> None:
    cinema.video = cinema.playable(is_public=False)
    signed = body_of(cinema.api.get(f"/v1/videos/{cinema.video}/signed-url"))
    token = signed["signed_url"].partition("?token=")[2]

    private = cinema.player.simulate_get(
        f"/v1/embed/{cinema.video}", query_string=f"token={token}"
    )
    for page in (
        private,
        cinema.page(f"/v1/{cinema.edge_key()}"),
        cinema.page(f"/v1/watch/{cinema.share()}"),
    ):
        assert page.status_code == 200
        assert not [name for name in metas(page) if name.startswith(("og", "twitter"))]
    assert "oembed" not in private.text
    assert token not in private.text
