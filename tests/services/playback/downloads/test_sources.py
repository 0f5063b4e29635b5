"""
Downloads that an owner switches on, and the source for its owner alone.
"""

from datetime import timedelta

from falcon.testing import Result

from hvcore.domain.access.keys import Permission
from tests.support.http.cinema import WORKER, Cinema
from tests.support.http.world import body_of, problem_of


def test_the_owner_switches_them_on(cinema: Cinema) -> None:
    api, video = cinema.api, cinema.video
    path = f"/v1/videos/{video}"
    before = body_of(api.get(path))
    assert not {"allowDownload", "renditions"} & before.keys()

    shown = body_of(api.call("PATCH", path, json={"allowDownload": True}))

    root = f"{WORKER}/v1/private/{video}/downloads"
    assert shown["allowDownload"] is True
    assert shown["renditions"] == [
        {
            "name": "720p.mp4",
            "contentType": "video/mp4",
            "url": f"{root}/720p.mp4?token={{token}}",
        },
        {
            "name": "360p.mp4",
            "contentType": "video/mp4",
            "url": f"{root}/360p.mp4?token={{token}}",
        },
        {
            "name": "audio.m4a",
            "contentType": "audio/mp4",
            "url": f"{root}/audio.m4a?token={{token}}",
        },
    ]
    made = {"fileName": "a.mp4", "allowDownload": True}
    awaited = body_of(api.post("/v1/videos/upload-url", made))["videoID"]
    assert body_of(api.get(f"/v1/videos/{awaited}"))["allowDownload"] is True
    signed = body_of(api.get(f"{path}/signed-url"))["signed_url"]
    address = signed.replace("master.m3u8", "downloads/9999p.mp4")
    assert asked(cinema, address).status_code == 404


def asked(cinema: Cinema, address: str, **headers: str) -> Result:
    path, _, query = address.removeprefix(WORKER).partition("?")
    return cinema.load(path, query, headers=headers)


def test_the_source_is_for_its_owner_alone(cinema: Cinema) -> None:
    api, video = cinema.api, cinema.video
    data = bytes(range(256)) * 1000
    api.change(video, lambda found: setattr(found, "name", "Ein Film"))
    with api.services.uow.read() as work:
        stored = work.videos.find(video)
    assert stored is not None
    api.storage.files[stored.source_path] = data

    told = body_of(api.get(f"/v1/videos/{video}/source", "expiration=15m"))

    address = told["signed_url"]
    assert told["expires_in"] == 900
    whole = asked(cinema, address)
    assert whole.content == data
    assert whole.headers["Content-Type"] == "video/mp4"
    assert "Ein Film (source).mp4" in whole.headers["Content-Disposition"]
    assert asked(cinema, address, Range="bytes=5-9").content == data[5:10]
    # Neither opens what the other does.
    signed = body_of(api.get(f"/v1/videos/{video}/signed-url"))["signed_url"]
    token = address.partition("?")[2]
    assert asked(cinema, signed).status_code == 200
    assert asked(cinema, f"{signed.partition('?')[0]}?{token}").status_code == 403
    named = f"{address.partition('?')[0]}?{signed.partition('?')[2]}"
    assert asked(cinema, named).status_code == 403
    assert asked(cinema, address.partition("?")[0]).status_code == 401
    assert asked(cinema, address.replace("source.mp4", "source.exe")).status_code == 403
    api.clock.move(timedelta(minutes=16))
    assert asked(cinema, address).status_code == 401


def test_a_source_that_is_gone_or_not_ready_is_not_given(cinema: Cinema) -> None:
    api, video = cinema.api, cinema.video
    waiting = api.get(f"/v1/videos/{api.transcoding()}/source")
    problem_of(waiting, 409, "conflict")
    address = body_of(api.get(f"/v1/videos/{video}/source"))["signed_url"]
    assert asked(cinema, address).status_code == 404

    api.delete(f"/v1/videos/{video}")
    assert asked(cinema, address).status_code == 404
    assert api.get(f"/v1/videos/{video}/source").status_code == 404
    key = api.make_key(permissions=frozenset({Permission.PLAYBACK_SIGN}))
    refused = api.get(f"/v1/videos/{cinema.playable()}/source", key=key)
    problem_of(refused, 403, "forbidden")
