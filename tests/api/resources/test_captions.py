"""
Captions: set, listed, removed, and played.
"""

import re
import xml.etree.ElementTree as ET
from contextlib import ExitStack
from datetime import timedelta
from typing import BinaryIO

import pytest
from falcon.testing import Result

from hvcore.domain.tasks.kinds import VIDEO_PURGE as PURGE_KIND
from hvcore.domain.videos.captions import MAX_CAPTION_BYTES, MAX_CAPTION_TRACKS
from hvcore.errors import UnavailableError
from hvcore.ports.storage import ObjectInfo
from hvcore.settings.shares import ShareSettings
from tests.support.http.cinema import Cinema, token_of
from tests.support.http.limited import limit
from tests.support.http.world import ENV, ORG, World, body_of, locations, problem_of

VTT = b"WEBVTT\n\n00:01.000 --> 00:02.000\nHello\n"
SRT = b"1\n00:00:01,000 --> 00:00:02,000\nBonjour\n"
WEBVTT, SUBRIP = "text/vtt", "application/x-subrip"


def put(
    api: World,
    path: str,
    body: bytes = VTT,
    content_type: str = WEBVTT,
    **more: object,
) -> Result:
    headers = {"Content-Type": content_type}
    return api.call("PUT", path, body=body, headers=headers, **more)  # type: ignore[arg-type]  # names of arguments


def files(api: World) -> list[str]:
    return [name for name in api.storage.files if "/captions/" in name]


def test_captions_are_set_replaced_listed_and_removed(
    cinema: Cinema, videos: str
) -> None:
    api, path = cinema.api, f"{videos}/{cinema.video}/captions"
    made = api.clock.now().strftime("%Y-%m-%dT%H:%M:%S.")

    first = body_of(put(api, f"{path}/EN-us", query="label=English%20%22US%22"))
    api.clock.move(timedelta(seconds=1))
    both = body_of(put(api, f"{path}/fr", SRT, SUBRIP))

    (english,) = first["captions"]
    assert english["createdAt"].startswith(made)
    assert english["createdAt"] < both["captions"][1]["createdAt"]
    del english["createdAt"]
    assert english == {
        "language": "en-US",
        "label": 'English "US"',
        "cues": 1,
        "sizeBytes": len(api.storage.files[files(api)[0]]),
        "generated": False,
        "confidence": None,
        "state": "ready",
    }
    assert [(c["language"], c["label"]) for c in both["captions"]] == [
        ("en-US", 'English "US"'),
        ("fr", "fr"),
    ]
    assert body_of(api.get(path)) == {**both, "jobs": []}

    replaced = body_of(put(api, f"{path}/en-US", VTT + b"\n" + VTT[8:]))
    assert [(c["language"], c["cues"]) for c in replaced["captions"]] == [
        ("en-US", 2),
        ("fr", 1),
    ]
    assert len(files(api)) == 2

    left = body_of(api.delete(f"{path}/en-us"))
    assert [c["language"] for c in left["captions"]] == ["fr"]
    assert body_of(api.get(path)) == {**left, "jobs": []}
    problem_of(api.delete(f"{path}/en-US"), 404, "not_found")
    assert body_of(api.delete(f"{path}/fr")) == {"captions": []}
    assert not files(api)


def test_a_file_of_no_certain_type_tells_its_format(cinema: Cinema) -> None:
    path = f"/v1/videos/{cinema.video}/captions/en"
    for content_type in (
        "text/plain",
        "application/octet-stream",
        "Text/Plain; charset=UTF-8",
        "",
    ):
        for body in (VTT, SRT):
            body_of(put(cinema.api, path, body, content_type))

            (name,) = files(cinema.api)
            assert cinema.api.storage.files[name].startswith(b"WEBVTT\n")


def test_another_type_is_refused(cinema: Cinema) -> None:
    path = f"/v1/videos/{cinema.video}/captions/en"
    for content_type in (
        "application/json",
        "text/html",
        "text/vtt; charset=utf-16",
        "video/mp4",
    ):
        result = put(cinema.api, path, VTT, content_type)

        problem_of(result, 415, "unsupported_media_type")


def test_cues_left_out_of_a_caption_file_are_named(cinema: Cinema, videos: str) -> None:
    path = f"{videos}/{cinema.video}/captions"

    put_ = body_of(put(cinema.api, f"{path}/en", VTT + b"a --> b\n"))

    assert [c["cues"] for c in put_["captions"]] == [1]
    (warning,) = put_["warnings"]
    assert warning.startswith("Left out, line 5: expected two times")
    assert "warnings" not in body_of(put(cinema.api, f"{path}/en"))
    assert "warnings" not in body_of(cinema.api.get(path))


def test_malformed_captions_are_refused_by_line(cinema: Cinema, videos: str) -> None:
    path = f"{videos}/{cinema.video}/captions/en"
    for body, content_type, line in (
        (b"", WEBVTT, 1),
        (SRT, WEBVTT, 1),
        (VTT, SUBRIP, 1),
        (VTT + b"\0", WEBVTT, 5),
        (VTT + b"\xff", WEBVTT, 5),
        (b"1\n00:00:01,000 --> \n", "text/plain", 2),
    ):
        result = put(cinema.api, path, body, content_type)

        problem = problem_of(result, 400, "invalid_parameters")
        assert locations(problem) == ["body"]
        assert f"line {line}: " in problem["detail"]
    assert not files(cinema.api)


def test_a_file_that_is_too_large_is_refused(cinema: Cinema) -> None:
    path = f"/v1/videos/{cinema.video}/captions/en"

    result = put(cinema.api, path, VTT + b" " * MAX_CAPTION_BYTES)

    problem_of(result, 413, "payload_too_large")


def test_a_language_has_a_tag(cinema: Cinema, videos: str) -> None:
    for language in (
        *("e", "english", "en_US", "mul", "en-", "en--US", "x-own", "en.vtt"),
        *("%65n%00", "en%0a", "..", "de-1996-1996", "en-" + "x" * 40),
    ):
        path = f"{videos}/{cinema.video}/captions/{language}"
        for result in (put(cinema.api, path), cinema.api.delete(path)):
            problem = problem_of(result, 400, "invalid_parameters")
            assert locations(problem) == ["path.language"]
    assert not files(cinema.api)


def test_an_unknown_language_can_be_removed_but_not_set(cinema: Cinema) -> None:
    path = f"/v1/videos/{cinema.video}/captions/und"

    problem_of(put(cinema.api, path), 400, "invalid_parameters")
    problem_of(cinema.api.delete(path), 404, "not_found")


def test_a_label_has_its_length(cinema: Cinema) -> None:
    path = f"/v1/videos/{cinema.video}/captions/en"
    for label in ("", "x" * 101, "%00", "a&label=b"):
        problem = problem_of(
            put(cinema.api, path, query=f"label={label}"), 400, "invalid_parameters"
        )
        assert locations(problem) == ["query.label"]


def test_a_video_has_captions_in_so_many_languages(api: World, videos: str) -> None:
    limit(api, enabled=False)
    path = f"{videos}/{api.ready()}/captions"
    for number in range(MAX_CAPTION_TRACKS):
        body_of(put(api, f"{path}/en-{number:03}"))

    problem = problem_of(put(api, f"{path}/fr"), 400, "invalid_parameters")
    again = body_of(put(api, f"{path}/en-007", SRT, SUBRIP))

    assert locations(problem) == ["path.language"]
    assert len(again["captions"]) == len(files(api)) == MAX_CAPTION_TRACKS


def test_every_listed_video_takes_captions(api: World, videos: str) -> None:
    for video in (api.ready(), api.transcoding(), api.failed()):
        body_of(put(api, f"{videos}/{video}/captions/en"))
    deleted = api.ready()
    body_of(api.delete(f"/v1/videos/{deleted}"))

    for video, status, code in (
        (deleted, 404, "video_not_found"),
        (api.awaited(), 404, "video_not_found"),
        (api.ready(api.other_env), 404, "video_not_found"),
        (api.ready(api.dev), 403, "forbidden"),
        ("vid_x", 404, "video_not_found"),
    ):
        path = f"{videos}/{video}/captions"
        for result in (api.get(path), put(api, f"{path}/en"), api.delete(f"{path}/en")):
            problem_of(result, status, code)
    assert len(files(api)) == 3


def test_the_video_is_judged_before_the_file_is_read(api: World, videos: str) -> None:
    deleted = api.ready()
    body_of(api.delete(f"/v1/videos/{deleted}"))

    for video in (f"vid_{'0' * 22}", deleted):
        result = put(api, f"{videos}/{video}/captions/en", b"x")

        problem_of(result, 404, "video_not_found")


def test_a_retry_keeps_captions_and_a_purge_removes_them(api: World) -> None:
    video = api.failed()
    body_of(put(api, f"/v1/videos/{video}/captions/en"))
    body_of(api.post(f"/v1/videos/{video}/retry", None))
    assert len(body_of(api.get(f"/v1/videos/{video}/captions"))["captions"]) == 1

    body_of(api.delete(f"/v1/videos/{video}"))
    with api.services.uow.read() as work:
        task, *_ = work.tasks.of_subject(video, kind=PURGE_KIND)
    api.services.task_runs.run(task.id, worker="w", stopping=lambda: False)

    assert not files(api)
    with api.services.uow.read() as work:
        found = work.videos.find(video)
        assert found is not None
        assert not work.captions.of_video(found.id)


def test_few_files_are_taken_in_at_a_time(cinema: Cinema) -> None:
    service = cinema.api.services.captions
    path = f"/v1/videos/{cinema.video}/captions/en"
    with ExitStack() as stack:
        for _ in range(ShareSettings().uploads_of_one):
            stack.enter_context(service.receiving(ORG))
        refused = put(cinema.api, path)

    problem_of(refused, 503, "unavailable")
    assert refused.headers["Retry-After"] == "10"
    body_of(put(cinema.api, path))


def test_a_delete_while_a_file_is_stored_leaves_nothing(
    api: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    video, write = api.ready(), api.storage.write

    def write_late(path: str, source: BinaryIO, *, content_type: str) -> ObjectInfo:
        body_of(api.delete(f"/v1/videos/{video}"))
        return write(path, source, content_type=content_type)

    monkeypatch.setattr(api.storage, "write", write_late)

    result = put(api, f"/v1/videos/{video}/captions/en")

    problem_of(result, 404, "video_not_found")
    assert not files(api)


def test_captions_whose_file_stays_are_served_no_more(
    cinema: Cinema, monkeypatch: pytest.MonkeyPatch
) -> None:
    api, video = cinema.api, cinema.playable(is_public=True)
    path = f"/v1/videos/{video}/captions/en"
    body_of(put(api, path))

    def refuse(_path: str) -> int:
        raise UnavailableError

    monkeypatch.setattr(api.storage, "delete_tree", refuse)

    assert body_of(api.delete(path)) == {"captions": []}
    assert len(files(api)) == 1
    address = f"/v1/public/{ORG}/{ENV}/{video}/captions-en.vtt"
    problem_of(cinema.load(address), 404, "not_found")


def test_a_file_that_has_just_gone_is_not_found(cinema: Cinema) -> None:
    api, video = cinema.api, cinema.playable(is_public=True)
    body_of(put(api, f"/v1/videos/{video}/captions/en"))
    api.storage.delete_tree(files(api)[0])

    result = cinema.load(f"/v1/public/{ORG}/{ENV}/{video}/captions-en.vtt")

    problem_of(result, 404, "not_found")


def media_lines(master: str) -> list[str]:
    return re.findall(r"^#EXT-X-MEDIA:TYPE=SUBTITLES,(.*)$", master, re.MULTILINE)


def test_a_public_video_offers_its_captions(cinema: Cinema) -> None:
    api, video = cinema.api, cinema.playable(is_public=True)
    place = f"/v1/public/{ORG}/{ENV}/{video}"
    before = cinema.load(f"{place}/master.m3u8")
    path = f"/v1/videos/{video}/captions"
    for language in ("en", "fr"):
        body_of(put(api, f"{path}/{language}", query="label=%22Own%22%0aname"))

    master = cinema.load(f"{place}/master.m3u8")

    assert media_lines(before.text) == []
    assert media_lines(master.text) == [
        f'GROUP-ID="subs",NAME="{name}",LANGUAGE="{language}",'
        f'AUTOSELECT=YES,DEFAULT=NO,URI="captions-{language}.m3u8"'
        for name, language in (("'Own' name", "en"), ("'Own' name 2", "fr"))
    ]
    variants = [x for x in master.text.splitlines() if x.startswith("#EXT-X-STREAM-")]
    assert len(variants) == 2
    assert all(line.endswith(',SUBTITLES="subs"') for line in variants)
    assert master.headers["etag"] != before.headers["etag"]
    assert without_captions(master.text) == before.text
    playlist = cinema.load(f"{place}/captions-en.m3u8")
    assert playlist.headers["content-type"] == "application/vnd.apple.mpegurl"
    assert "\n#EXTINF:12.000000,\ncaptions-en.vtt\n#EXT-X-ENDLIST\n" in playlist.text
    file = cinema.load(f"{place}/captions-en.vtt")
    assert file.headers["content-type"] == "text/vtt"
    assert file.headers["cache-control"] == "public, max-age=10"
    assert file.headers["access-control-allow-origin"] == "*"
    assert file.text.endswith("\n\n00:00:01.000 --> 00:00:02.000\nHello\n")


def without_captions(master: str) -> str:
    kept = re.sub(r"^#EXT-X-MEDIA:TYPE=SUBTITLES.*\n", "", master, flags=re.MULTILINE)
    return kept.replace(',SUBTITLES="subs"', "")


def test_the_token_is_carried_to_captions(cinema: Cinema) -> None:
    api, place = cinema.api, f"/v1/private/{cinema.video}"
    body_of(put(api, f"/v1/videos/{cinema.video}/captions/pt-br"))
    signed = body_of(api.get(f"/v1/videos/{cinema.video}/signed-url"))["signed_url"]
    query = signed.partition("?")[2]

    master = cinema.load(f"{place}/master.m3u8", query)

    (line,) = media_lines(master.text)
    assert line.endswith(f'URI="captions-pt-BR.m3u8?{query}"')
    playlist = cinema.load(f"{place}/captions-pt-BR.m3u8", query)
    assert f"\ncaptions-pt-BR.vtt?{query}\n" in playlist.text
    file = cinema.load(f"{place}/captions-pt-BR.vtt", query)
    assert file.headers["cache-control"].startswith("private")
    assert "Hello" in file.text
    for name in ("captions-pt-BR.m3u8", "captions-pt-BR.vtt"):
        assert cinema.load(f"{place}/{name}").status_code == 401


def text_sets(manifest: str) -> list[tuple[str | None, str | None, str | None]]:
    """
    Return language, label and address of every text of a manifest.
    """
    namespace = {"": "urn:mpeg:dash:schema:mpd:2011"}
    root = ET.fromstring(manifest.encode())  # noqa: S314 - our own text
    sets = root.findall("Period/AdaptationSet[@contentType='text']", namespace)
    return [
        (
            one.get("lang"),
            one.findtext("Label", namespaces=namespace),
            one.findtext("Representation/BaseURL", namespaces=namespace),
        )
        for one in sets
        if one.get("mimeType") == "text/vtt"
    ]


def test_a_manifest_offers_the_captions_of_this_moment(cinema: Cinema) -> None:
    api, video = cinema.api, cinema.playable(is_public=True)
    place, path = f"/v1/public/{ORG}/{ENV}/{video}", f"/v1/videos/{video}/captions"
    before = cinema.load(f"{place}/manifest.mpd").text
    body_of(put(api, f"{path}/en", query="label=%3C%26%22"))
    body_of(put(api, f"{path}/fr"))

    offered = cinema.load(f"{place}/manifest.mpd").text
    body_of(api.delete(f"{path}/en"))
    body_of(api.delete(f"{path}/fr"))

    assert text_sets(before) == []
    assert text_sets(offered) == [
        ("en", "<&'", "captions-en.vtt"),
        ("fr", "Français", "captions-fr.vtt"),
    ]
    assert cinema.load(f"{place}/manifest.mpd").text == before


def test_the_token_is_carried_to_the_captions_of_a_manifest(cinema: Cinema) -> None:
    api, place = cinema.api, f"/v1/private/{cinema.video}"
    body_of(put(api, f"/v1/videos/{cinema.video}/captions/en"))
    signed = body_of(api.get(f"/v1/videos/{cinema.video}/signed-url"))["signed_url"]
    query = signed.partition("?")[2]

    manifest = cinema.load(f"{place}/manifest.mpd", query).text

    ((_, _, address),) = text_sets(manifest)
    assert address == f"captions-en.vtt?{query}"


def test_links_play_captions_too(cinema: Cinema) -> None:
    body_of(put(cinema.api, f"/v1/videos/{cinema.video}/captions/en"))
    share, edge_key = cinema.share(), cinema.edge_key()

    master = cinema.load(f"/v1/share/{share}/master.m3u8").text

    query = f"token={token_of(master)}"
    assert "Hello" in cinema.load(f"/v1/share/{share}/captions-en.vtt", query).text
    assert len(media_lines(cinema.page(f"/v1/{edge_key}/master.m3u8").text)) == 1
    assert "Hello" in cinema.page(f"/v1/{edge_key}/captions-en.vtt").text


def test_replaced_or_removed_captions_are_obeyed_by_the_next_request(
    cinema: Cinema,
) -> None:
    api, video = cinema.api, cinema.playable(is_public=True)
    place, path = f"/v1/public/{ORG}/{ENV}/{video}", f"/v1/videos/{video}/captions/en"
    body_of(put(api, path))
    first = cinema.load(f"{place}/captions-en.vtt")

    body_of(put(api, path, SRT, SUBRIP))
    second = cinema.load(f"{place}/captions-en.vtt")
    body_of(api.delete(path))

    assert "Hello" in first.text
    assert "Bonjour" in second.text
    assert second.headers["etag"] != first.headers["etag"]
    for name in ("captions-en.vtt", "captions-en.m3u8"):
        problem_of(cinema.load(f"{place}/{name}"), 404, "not_found")
    assert media_lines(cinema.load(f"{place}/master.m3u8").text) == []


def test_another_name_is_no_file(cinema: Cinema) -> None:
    api, video = cinema.api, cinema.playable(is_public=True)
    body_of(put(api, f"/v1/videos/{video}/captions/en"))
    for name in (
        *("captions-fr.vtt", "captions-EN.vtt", "captions-en.srt", "captions-en"),
        *("captions/en.vtt", "captions-..%2fen.vtt", "captions-en.vtt%0a"),
    ):
        result = cinema.load(f"/v1/public/{ORG}/{ENV}/{video}/{name}")

        problem_of(result, 404, "not_found")
