"""
Uploads, also over connections that break and in two programs.
"""

import random
from pathlib import Path
from typing import Any

import pytest

from tests.client_js.conftest import ClientSite
from tests.client_js.moody_server import MoodyServer, Reply
from tests.client_js.running import file_with, run

CLIENT = """
    const client = new hv.HvClient(given);
    const file = given.path && await fs.openAsBlob(given.path);
    const chunkBytes = 64 * 1024;
"""
FILM = random.Random(1).randbytes(300_000)  # noqa: S311 - any bytes will do
TUS = {"Tus-Resumable": "1.0.0"}


def ask(site: ClientSite, script: str, **given: object) -> Any:  # noqa: ANN401 - JSON data
    # openAsBlob is new in node 20, and says so.
    return run(CLIENT + script, "--no-warnings", **site.given, **given)


def test_a_file_is_sent_in_chunks_with_what_is_said_of_it(
    site: ClientSite, tmp_path: Path
) -> None:
    told = ask(
        site,
        """
        const sent = [];
        const made = await client.upload(file, {
          fileName: "Ümläut.mp4", videoQuality: "high", allowPublicAccess: true,
          tags: ["a", "b"], metadata: { order: "4711" }, chunkBytes,
          onProgress: ({ sentBytes, totalBytes }) => sent.push([sentBytes, totalBytes]),
        });
        return { ...made, sent, details: await client.getVideo({ videoID: made.videoID }) };
        """,
        path=file_with(tmp_path, FILM),
    )

    details = told["details"]
    assert FILM in site.stored()
    chunks = [0, 65_536, 131_072, 196_608, 262_144, 300_000]
    assert told["sent"] == [[sent, len(FILM)] for sent in chunks]
    assert (details["name"], details["videoQuality"]) == ("Ümläut", "high")
    assert (details["tags"], details["metadata"]) == (["a", "b"], {"order": "4711"})
    assert details["allowPublicAccess"] is True
    assert details["status"]["transcoding"] is True


def test_an_upload_goes_on_where_its_connections_broke(
    site: ClientSite, tmp_path: Path
) -> None:
    film = FILM[::-1]
    site.proxy.relayed_bytes = 0
    # The second and the fifth connection break in the middle of a chunk, the third,
    # which asks how far it is, before it has asked.
    site.proxy.budgets_bytes = [None, 40_000, 10, None, 30_000]

    ask(
        site,
        'await client.upload(file, { fileName: "a.mp4", chunkBytes });',
        path=file_with(tmp_path, film),
    )

    assert film in site.stored()
    assert site.proxy.budgets_bytes == []
    # Nothing that had come was sent again.
    assert site.proxy.relayed_bytes < len(film) + 10_000


def test_another_program_goes_on_with_the_address_alone(
    site: ClientSite, tmp_path: Path
) -> None:
    film = FILM[1:] + b"x"
    path = file_with(tmp_path, film)
    url = ask(
        site,
        """
        const stop = new AbortController();
        let url;
        await caught(client.upload(file, {
          fileName: "a.mp4", chunkBytes, signal: stop.signal,
          onCreated: ({ uploadURL }) => { url = uploadURL; },
          onProgress: ({ sentBytes }) => sentBytes > 0 && stop.abort(),
        }));
        return url;
        """,
        path=path,
    )

    sent = run(
        """
        const sent = [];
        const file = await fs.openAsBlob(given.path);
        await hv.uploadTo(given.url, file, { onProgress: ({ sentBytes }) => sent.push(sentBytes) });
        // It is complete: nothing is sent once more.
        await hv.uploadTo(given.url, file);
        return sent;
        """,
        "--no-warnings",
        url=url,
        path=path,
    )

    assert sent[0] >= 65_536
    assert sent[-1] == len(film)
    assert film in site.stored()


def test_another_file_is_not_sent_to_an_address(site: ClientSite) -> None:
    thrown = ask(
        site,
        """
        const { uploadURL } = await client.createResumableUpload({
          uploadLength: 10, uploadMetadata: { fileName: "a.mp4" },
        });
        return caught(hv.uploadTo(uploadURL, new Blob(["another"])));
        """,
    )

    assert thrown["message"] == (
        "The upload is for a file of 10 bytes, and this one has 7."
    )


def test_an_address_that_has_ended_says_so(site: ClientSite) -> None:
    thrown = ask(
        site,
        """
        const { uploadURL } = await client.createResumableUpload({
          uploadLength: 4, uploadMetadata: { fileName: "a.mp4" },
        });
        await fetch(uploadURL, { method: "DELETE", headers: { "Tus-Resumable": "1.0.0" } });
        return caught(hv.uploadTo(uploadURL, new Uint8Array(4)));
        """,
    )

    assert (thrown["name"], thrown["status"]) == ("ApiError", 410)
    assert "ask for a new address" in thrown["message"]


def test_a_file_without_a_name_needs_one(site: ClientSite) -> None:
    thrown = ask(
        site,
        """
        return [
          await caught(client.upload(new Blob(["x"]))),
          await caught(client.upload("film.mp4", { fileName: "a" })),
        ];
        """,
    )

    assert [one["message"].split(":")[0] for one in thrown] == [
        "upload needs fileName",
        "A file must be a File, a Blob or bytes; in node, fs.openAsBlob(path) makes one.",
    ]


def at(offset: int, status: int = 200) -> Reply:
    known = {"Upload-Offset": str(offset), "Upload-Length": "4"}
    return Reply(status=status, headers={**TUS, **known})


@pytest.mark.parametrize("status", [409, 423, 500, 503])
def test_a_busy_upload_is_asked_how_far_it_is(moody: MoodyServer, status: int) -> None:
    moody.will(at(0), Reply(status=status), at(2), at(4, 204))

    run(
        'await hv.uploadTo(`${given.url}/uploads/1`, new Blob(["film"]));',
        url=moody.url,
    )

    assert [asked.method for asked in moody.asked] == ["HEAD", "PATCH", "HEAD", "PATCH"]
    assert [asked.body for asked in moody.asked] == [b"", b"film", b"", b"lm"]
    assert moody.values("Upload-Offset")[3] == "2"


@pytest.mark.parametrize(
    "headers",
    [
        *({}, {"Upload-Length": "4"}, {"Upload-Offset": "0"}),
        *({"Upload-Length": "4", "Upload-Offset": n} for n in ("", "0x2", "-1", "1.5")),
    ],
)
def test_what_takes_no_resumable_uploads_is_not_asked_again(
    moody: MoodyServer, headers: dict[str, str]
) -> None:
    moody.will(Reply(status=200, headers=headers))

    thrown = run(
        'return caught(hv.uploadTo(given.url, new Blob(["film"])));', url=moody.url
    )

    assert len(moody.asked) == 1
    assert "takes no resumable uploads" in thrown["message"]


@pytest.mark.parametrize("replies", [(at(5),), (at(0), at(5, 204))])
def test_more_bytes_than_there_are_are_not_believed(
    moody: MoodyServer, replies: tuple[Reply, ...]
) -> None:
    moody.will(*replies)

    thrown = run(
        'return caught(hv.uploadTo(given.url, new Blob(["film"])));', url=moody.url
    )

    assert thrown["message"] == (
        "uploadTo: 5 bytes of 4 cannot have come; begin a new upload."
    )
    assert len(moody.asked) == len(replies)


def test_tries_are_counted_anew_when_something_has_come_through(
    moody: MoodyServer,
) -> None:
    busy = Reply(status=503)
    moody.will(at(0), busy, at(1), busy, at(2), busy, at(2), busy)

    thrown = run(
        """
        const options = { maxTries: 2 };
        return caught(hv.uploadTo(given.url, new Blob(["film"]), options));
        """,
        url=moody.url,
    )

    assert thrown["status"] == 503
    assert [asked.body for asked in moody.asked[1::2]] == [
        b"film",
        b"ilm",
        b"lm",
        b"lm",
    ]


def test_a_service_that_takes_nothing_is_not_asked_for_ever(moody: MoodyServer) -> None:
    moody.will(*(at(0), at(0, 204)) * 2)

    thrown = run(
        """
        const options = { maxTries: 2 };
        return caught(hv.uploadTo(given.url, new Blob(["film"]), options));
        """,
        url=moody.url,
    )

    assert len(moody.asked) == 4
    assert "took nothing of the file" in thrown["message"]
