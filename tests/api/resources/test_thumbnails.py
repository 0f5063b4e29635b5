"""
Choosing the picture of a video.
"""

import io
import struct
import zlib
from contextlib import ExitStack
from pathlib import Path

import pytest
from falcon.testing import Result
from PIL import Image, ImageOps
from PIL.PngImagePlugin import PngInfo

from hvcore.domain.limits import MAX_PICTURE_BYTES
from hvcore.domain.tasks.task import Lane, TaskState
from hvcore.pictures.redraw import redraw
from hvcore.ports.transcoder import Workspace
from hvcore.settings.shares import ShareSettings
from tests.support.http.cinema import Cinema
from tests.support.http.fakes import ScratchTranscoder
from tests.support.http.world import ORG, World, body_of, locations, problem_of

A = f"/v1/api/{ORG}"
JPEG, PNG = "image/jpeg", "image/png"


class StillTranscoder(ScratchTranscoder):
    """
    Promises pictures.
    """

    def still(self, workspace: Workspace, at_s: float) -> Path:
        raise NotImplementedError


def picture(
    colour: str,
    size: tuple[int, int] = (320, 180),
    kind: str = "PNG",
    mode: str = "RGB",
) -> bytes:
    made = io.BytesIO()
    Image.new(mode, size, colour).save(made, kind)
    return made.getvalue()


def send(
    api: World, path: str, body: bytes, content_type: str = PNG, **more: object
) -> Result:
    return api.call(
        "POST",
        path,
        body=body,
        headers={"Content-Type": content_type},
        **more,  # type: ignore[arg-type]  # names of arguments
    )


def colour_of(result: Result) -> tuple[int, ...]:
    assert result.status_code == 200
    with Image.open(io.BytesIO(result.content)) as image:
        found = image.getpixel((image.width // 4, image.height // 2))
    assert isinstance(found, tuple)
    return found


def is_near(found: tuple[int, ...], wanted: tuple[int, ...]) -> bool:
    return all(abs(one - two) < 12 for one, two in zip(found, wanted, strict=True))


def shown(cinema: Cinema) -> Result:
    item = body_of(cinema.api.get(f"/v1/videos/{cinema.video}"))
    path, _, query = (
        item["thumbnailUrl"].removeprefix("https://worker.test").partition("?")
    )
    return cinema.load(path, query)


@pytest.mark.parametrize(("kind", "content_type"), [("PNG", PNG), ("JPEG", JPEG)])
def test_a_sent_picture_is_shown_at_once(
    cinema: Cinema, videos: str, kind: str, content_type: str
) -> None:
    before = shown(cinema)
    path = f"{videos}/{cinema.video}/thumbnail"

    result = send(cinema.api, path, picture("lime", kind=kind), content_type)

    body = body_of(result)
    assert set(body) == {"videoID", "thumbnailUrl", "status"}
    assert body["videoID"] == cinema.video
    assert body["status"] == "ready"
    after = shown(cinema)
    assert not is_near(colour_of(before), (0, 255, 0))
    assert is_near(colour_of(after), (0, 255, 0))
    assert after.headers["etag"] != before.headers["etag"]
    assert body["thumbnailUrl"].startswith(
        f"https://worker.test/t/{cinema.video}/1280x720.jpg"
    )


def test_the_picture_that_was_sent_last_is_shown(cinema: Cinema) -> None:
    path = f"/v1/videos/{cinema.video}/thumbnail"
    for colour in ("red", "lime", "blue", "white"):
        body_of(send(cinema.api, path, picture(colour)))
        last = shown(cinema)

    assert is_near(colour_of(last), (255, 255, 255))


def test_nothing_of_the_file_but_its_pixels_is_kept(cinema: Cinema) -> None:
    about = PngInfo()
    about.add_text("Comment", "private words")
    made = io.BytesIO()
    Image.new("RGB", (64, 64), "red").save(made, "PNG", pnginfo=about)
    sent = made.getvalue() + b"<script>alert('polyglot')</script>"

    body_of(send(cinema.api, f"/v1/videos/{cinema.video}/thumbnail", sent))

    posters = [d for n, d in cinema.api.storage.files.items() if "/posters/" in n]
    assert len(posters) == 1
    assert posters[0].startswith(b"\xff\xd8\xff")
    assert b"private words" not in posters[0]
    assert b"script" not in posters[0]


def test_a_turned_photograph_is_set_upright(cinema: Cinema) -> None:
    image = Image.new("RGB", (200, 100), "red")
    image.paste("blue", (100, 0, 200, 100))
    exif = Image.Exif()
    exif[0x0112] = 3  # upside down
    made = io.BytesIO()
    image.save(made, "JPEG", exif=exif)

    path = f"/v1/videos/{cinema.video}/thumbnail"
    body_of(send(cinema.api, path, made.getvalue(), JPEG))

    assert is_near(colour_of(shown(cinema)), (0, 0, 254))


def test_a_transparent_picture_becomes_black(cinema: Cinema) -> None:
    made = io.BytesIO()
    Image.new("RGBA", (64, 64), (255, 0, 0, 0)).save(made, "PNG")

    path = f"/v1/videos/{cinema.video}/thumbnail"
    body_of(send(cinema.api, path, made.getvalue()))

    assert is_near(colour_of(shown(cinema)), (0, 0, 0))


def bomb() -> bytes:
    """
    A PNG that says to have 100,000 times 100,000 pixels.
    """
    header = struct.pack(">IIBBBBB", 100_000, 100_000, 8, 2, 0, 0, 0)
    chunk = b"IHDR" + header
    return (
        b"\x89PNG\r\n\x1a\n"
        + struct.pack(">I", len(header))
        + chunk
        + struct.pack(">I", zlib.crc32(chunk))
    )


@pytest.mark.parametrize(
    ("body", "content_type"),
    [
        (b"", PNG),
        (b"no picture at all", PNG),
        (picture("red")[:60], PNG),
        (picture("red", (300, 300), "JPEG")[:300], JPEG),
        (picture("red"), JPEG),
        (picture("red", kind="GIF", mode="P"), PNG),
        (b"%!PS-Adobe-3.0 EPSF-3.0\n", JPEG),
        (b'<svg xmlns="http://www.w3.org/2000/svg"/>', PNG),
        (picture("red", (15, 400)), PNG),
        (picture("red", (6001, 6001), mode="1"), PNG),
        (bomb(), PNG),
    ],
)
def test_a_file_that_is_no_picture_is_refused(
    cinema: Cinema, body: bytes, content_type: str
) -> None:
    before = dict(cinema.api.storage.files)
    path = f"/v1/videos/{cinema.video}/thumbnail"

    problem = problem_of(
        send(cinema.api, path, body, content_type), 400, "invalid_parameters"
    )

    assert locations(problem) == ["body"]
    assert cinema.api.storage.files == before


def test_a_picture_that_is_too_large_is_refused(cinema: Cinema) -> None:
    path = f"/v1/videos/{cinema.video}/thumbnail"

    result = send(cinema.api, path, b"x" * (MAX_PICTURE_BYTES + 1))

    problem_of(result, 413, "payload_too_large")


@pytest.mark.parametrize("content_type", ["image/gif", "image/svg+xml", "video/mp4"])
def test_another_type_is_refused(cinema: Cinema, content_type: str) -> None:
    path = f"/v1/videos/{cinema.video}/thumbnail"

    result = send(cinema.api, path, picture("red"), content_type)

    problem_of(result, 415, "unsupported_media_type")


def test_a_type_may_be_written_in_capitals_and_with_more(cinema: Cinema) -> None:
    path = f"/v1/videos/{cinema.video}/thumbnail"

    body_of(send(cinema.api, path, picture("red"), "Image/PNG; name=x"))


def stills(api: World) -> None:
    api.services.custom_thumbnails.__class__  # noqa: B018 - made before it is changed
    object.__setattr__(api.services.custom_thumbnails, "transcoder", StillTranscoder())


def test_a_moment_is_made_by_a_task(cinema: Cinema, videos: str) -> None:
    stills(cinema.api)
    path = f"{videos}/{cinema.video}/thumbnail"

    body = body_of(cinema.api.post(path, {"timestampSeconds": 5}))
    again = body_of(cinema.api.post(path, {"timestampSeconds": 12.0}))

    assert body["status"] == again["status"] == "pending"
    with cinema.api.services.uow.read() as work:
        tasks = work.tasks.of_subject(cinema.video, kind="thumbnail.make")
    # What was asked for last is what will be shown.
    assert tasks[0].state is TaskState.CANCELLED
    assert tasks[1].lane is Lane.LIGHT
    assert tasks[1].payload["at_s"] == 12.0


def test_a_moment_needs_no_type_of_its_body(cinema: Cinema) -> None:
    stills(cinema.api)
    path = f"/v1/videos/{cinema.video}/thumbnail"

    body = body_of(cinema.api.call("POST", path, body=b'{"timestampSeconds": 5}'))

    assert body["status"] == "pending"


def test_a_sent_picture_outlives_a_moment_that_was_ordered_before(
    cinema: Cinema,
) -> None:
    stills(cinema.api)
    path = f"/v1/videos/{cinema.video}/thumbnail"
    body_of(cinema.api.post(path, {"timestampSeconds": 5}))

    body_of(send(cinema.api, path, picture("red")))

    with cinema.api.services.uow.read() as work:
        (task,) = work.tasks.of_subject(cinema.video, kind="thumbnail.make")
    assert task.state is TaskState.CANCELLED


@pytest.mark.parametrize(
    ("wanted", "status"),
    [
        ({}, 400),
        ({"timestampSeconds": None}, 400),
        ({"timestampSeconds": -0.1}, 400),
        ({"timestampSeconds": 12.001}, 400),
        ({"timestampSeconds": 1e300}, 400),
        ({"timestampSeconds": "5"}, 422),
        ({"timestampSeconds": True}, 422),
    ],
)
def test_a_moment_that_is_not_in_the_video_is_refused(
    cinema: Cinema, videos: str, wanted: object, status: int
) -> None:
    stills(cinema.api)

    result = cinema.api.post(f"{videos}/{cinema.video}/thumbnail", wanted)

    problem = problem_of(result, status, "invalid_parameters")
    assert locations(problem) == ["body.timestampSeconds"]


def test_a_transcoder_that_makes_no_pictures_is_named(
    cinema: Cinema, videos: str
) -> None:
    path = f"{videos}/{cinema.video}/thumbnail"

    result = cinema.api.post(path, {"timestampSeconds": 5})

    problem = problem_of(result, 422, "invalid_parameters")
    assert "scratch 1.0" in problem["detail"]
    body_of(send(cinema.api, path, picture("red")))


def test_only_a_ready_video_takes_a_picture(api: World, videos: str) -> None:
    stills(api)
    deleted = api.ready()
    body_of(api.delete(f"/v1/videos/{deleted}"))

    for video, status, code in (
        (api.transcoding(), 409, "conflict"),
        (api.failed(), 400, "invalid_parameters"),
        (deleted, 404, "video_not_found"),
        (api.awaited(), 404, "video_not_found"),
        (api.ready(api.other_env), 404, "video_not_found"),
        (api.ready(api.dev), 403, "forbidden"),
        ("vid_x", 404, "video_not_found"),
    ):
        path = f"{videos}/{video}/thumbnail"
        problem_of(send(api, path, picture("red")), status, code)
        problem_of(api.post(path, {"timestampSeconds": 1}), status, code)
    assert not [name for name in api.storage.files if "/posters/" in name]


def test_the_video_is_judged_before_the_picture_is_decoded(
    api: World, videos: str
) -> None:
    missing = f"{videos}/vid_{'0' * 22}/thumbnail"

    problem_of(send(api, missing, b"x"), 404, "video_not_found")
    problem_of(send(api, missing, b""), 400, "invalid_parameters")
    problem_of(send(api, missing, b"x", "image/gif"), 415, "unsupported_media_type")
    problem_of(api.post(missing, {}), 400, "invalid_parameters")
    problem_of(
        send(api, f"{videos}/{api.transcoding()}/thumbnail", b"x"), 409, "conflict"
    )


@pytest.mark.parametrize("turn", range(1, 9))
@pytest.mark.parametrize(("kind", "content_type"), [("JPEG", JPEG), ("PNG", PNG)])
def test_every_orientation_is_set_upright(
    turn: int, kind: str, content_type: str
) -> None:
    image = Image.new("RGB", (64, 96), "red")
    image.paste("blue", (0, 0, 64, 16))
    image.paste("lime", (0, 0, 16, 48))
    exif = Image.Exif()
    exif[0x0112] = turn
    made = io.BytesIO()
    image.save(made, kind, exif=exif, **({"quality": 95} if kind == "JPEG" else {}))

    drawn = redraw(made.getvalue(), content_type)

    image.info["exif"] = exif.tobytes()
    wanted = ImageOps.exif_transpose(image)
    with Image.open(io.BytesIO(drawn)) as found:
        assert found.size == wanted.size
        for x in range(8, found.width, 16):
            for y in range(8, found.height, 16):
                seen, meant = found.getpixel((x, y)), wanted.getpixel((x, y))
                assert isinstance(seen, tuple)
                assert isinstance(meant, tuple)
                assert is_near(seen, meant)


def test_embedded_pages_show_the_chosen_picture(cinema: Cinema) -> None:
    """
    A video without a picture of its own gets one, too.
    """
    video = cinema.api.ready()
    address = f"/t/{video}/640x360.jpg"
    assert cinema.load(address).status_code == 404

    body_of(send(cinema.api, f"/v1/videos/{video}/thumbnail", picture("lime")))

    assert is_near(colour_of(cinema.load(address)), (0, 255, 0))
    assert 'poster="https://' in cinema.page(f"/v1/embed/{video}").text


def test_few_pictures_are_taken_in_at_a_time(cinema: Cinema, videos: str) -> None:
    service = cinema.api.services.custom_thumbnails
    path = f"{videos}/{cinema.video}/thumbnail"
    with ExitStack() as stack:
        for _ in range(ShareSettings().uploads_of_one):
            stack.enter_context(service.receiving(ORG))
        own = send(cinema.api, path, picture("red"))
    with ExitStack() as stack:
        for number in range(8):
            stack.enter_context(service.receiving(f"org_{number}"))
        others = send(cinema.api, path, picture("red"))

    for result in (own, others):
        problem_of(result, 503, "unavailable")
        assert result.headers["Retry-After"] == "10"
    body_of(send(cinema.api, path, picture("red")))
