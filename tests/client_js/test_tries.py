"""
What is tried again, how long after, and what a program learns in the end.
"""

import json
import time
from email.utils import formatdate
from typing import Any

import pytest

from tests.client_js.moody_server import CUT, MoodyServer, Reply, answer, refused
from tests.client_js.running import run

KEY = "hv_live_" + "k" * 32
CLIENT = "const client = new hv.HvClient({ apiURL: given.url, apiKey: given.key });"
VIDEO = {"id": "vid_1"}
BUSY = refused(503, "unavailable")
PASSING = (429, 502, 503, 504)
STAYING = (400, 401, 403, 404, 409, 422, 500)


def ask(moody: MoodyServer, script: str, *options: str, **given: object) -> Any:  # noqa: ANN401 - JSON data
    return run(CLIENT + script, *options, url=moody.url, key=KEY, **given)


def test_what_passes_is_tried_again(moody: MoodyServer) -> None:
    passing = [CUT, *map(refused, PASSING)]
    moody.will(*(reply for first in passing for reply in (first, answer(VIDEO))))

    videos = ask(
        moody,
        """
        const ask = () => client.getVideo({ videoID: "vid_1" });
        return [await ask(), await ask(), await ask(), await ask(), await ask()];
        """,
    )

    assert videos == [VIDEO] * len(passing)
    assert moody.paths() == ["/v1/videos/vid_1"] * 2 * len(passing)
    assert set(moody.values("X-Api-Key")) == {KEY}


def test_what_stays_is_thrown_at_once(moody: MoodyServer) -> None:
    moody.will(*(refused(status, "some_code", "query.page") for status in STAYING))

    all_thrown = ask(
        moody,
        """
        const thrown = [];
        for (let i = 0; i < given.count; i += 1) {
          thrown.push(await caught(client.getVideo({ videoID: "vid_1" })));
        }
        return thrown;
        """,
        count=len(STAYING),
    )

    assert len(moody.asked) == len(STAYING)
    for status, thrown in zip(STAYING, all_thrown, strict=True):
        assert thrown["name"] == "ApiError"
        assert thrown["message"] == (
            f"getVideo: It cannot be. ({status}, some_code, request request-1)"
        )
        assert thrown["errors"] == [
            {"message": "No.", "location": "query.page", "value": None}
        ]
        assert (thrown["status"], thrown["code"]) == (status, "some_code")
        assert thrown["requestID"] == "request-1"


@pytest.mark.parametrize("how", ["seconds", "date"])
def test_the_service_says_when(moody: MoodyServer, how: str) -> None:
    # A date has no parts of seconds; the server's clock may be another.
    elsewhere = time.time() - 86_400
    told = {"seconds": "1", "date": formatdate(elsewhere + 1, usegmt=True)}[how]
    sent = {"Date": formatdate(elsewhere, usegmt=True), "Retry_After": told}
    moody.will(refused(503, **sent), answer(VIDEO))

    took_ms = ask(
        moody,
        """
        const before = performance.now();
        await client.getVideo({ videoID: "vid_1" });
        return performance.now() - before;
        """,
    )

    assert 990 < took_ms < 10_000


def test_a_long_wait_is_left_to_the_program(moody: MoodyServer) -> None:
    moody.will(refused(429, "rate_limit_exceeded", Retry_After="3000"), answer(VIDEO))

    thrown = ask(moody, 'return caught(client.getVideo({ videoID: "vid_1" }));')

    assert len(moody.asked) == 1
    assert thrown["retryAfterS"] == 3000


def test_it_gives_up_after_as_many_tries_as_it_may(moody: MoodyServer) -> None:
    moody.will(CUT, BUSY, CUT)

    thrown = ask(moody, "return caught(client.getWhoAmI({}, { maxTries: 2 })); ")

    assert len(moody.asked) == 2
    assert (thrown["name"], thrown["status"]) == ("ApiError", 503)


def test_a_creation_keeps_its_idempotency_key(moody: MoodyServer) -> None:
    running = refused(409, "conflict", "header.Idempotency-Key")
    moody.will(CUT, running, BUSY, answer({"videoID": "vid_1"}))

    made = ask(moody, 'return client.createUploadUrl({ fileName: "a.mp4" });')

    assert made == {"videoID": "vid_1"}
    keys = moody.values("Idempotency-Key")
    assert len(keys) == 4
    assert len(set(keys)) == 1
    assert keys[0]
    assert [json.loads(asked.body) for asked in moody.asked] == [
        {"fileName": "a.mp4"}
    ] * 4


def test_a_program_may_have_its_own_idempotency_key(moody: MoodyServer) -> None:
    moody.will(answer({}), answer({}))

    ask(
        moody,
        """
        await client.createUploadUrl({ fileName: "a" }, { idempotencyKey: "mine" });
        await client.createUploadUrl({ fileName: "a" });
        """,
    )

    mine, made = moody.values("Idempotency-Key")
    assert mine == "mine"
    assert made not in {"mine", None}


def test_a_change_without_such_a_key_is_not_repeated(moody: MoodyServer) -> None:
    moody.will(CUT, CUT)

    thrown = ask(
        moody,
        """
        return [
          await caught(client.updateVideo({ videoID: "vid_1", videoName: "b" })),
          await caught(client.retryVideo({ videoID: "vid_1" })),
        ];
        """,
    )

    assert len(moody.asked) == 2
    assert [one["name"] for one in thrown] == ["UnreachableError"] * 2


def test_a_redirect_is_not_followed_with_the_key(moody: MoodyServer) -> None:
    moody.will(Reply(status=301, headers={"Location": f"{moody.url}/stolen"}))

    thrown = ask(moody, "return caught(client.getWhoAmI());")

    assert moody.paths() == ["/v1/whoami"]
    assert thrown["name"] == "UnreachableError"
    assert "redirects" in thrown["message"]


def test_what_is_not_the_api_is_no_answer(moody: MoodyServer) -> None:
    bodies = (b"<html>Sign in</html>", b"{}", b'"text"', b"null", b"")
    replies = [*(Reply(status=200, body=body) for body in bodies), Reply(status=204)]
    moody.will(*replies)

    thrown = ask(
        moody,
        """
        const ask = () => caught(client.getWhoAmI());
        return [await ask(), await ask(), await ask(), await ask(), await ask(), await ask()];
        """,
    )

    assert len(moody.asked) == len(replies)
    assert {one["message"] for one in thrown} == {
        "getWhoAmI: what answers there is not the API."
    }


def test_json_that_is_none_is_said_in_words(moody: MoodyServer) -> None:
    moody.will(Reply(status=200, headers={"Content-Type": "application/json"}))

    thrown = ask(moody, 'return caught(client.request("GET", "/plugin"));')

    assert (thrown["name"], thrown["message"]) == (
        "UnreachableError",
        "GET /plugin: what answers there is no JSON.",
    )


def test_a_page_in_the_place_of_nothing_is_no_success(moody: MoodyServer) -> None:
    moody.will(Reply(status=200, body=b"<html>Sign in</html>"))

    thrown = ask(moody, "return caught(client.getResumableUploadOptions());")

    assert "is not the API" in thrown["message"]


def test_a_page_of_a_proxy_is_an_error_too(moody: MoodyServer) -> None:
    moody.will(Reply(status=413, body=b"<html>Too large</html>"))

    thrown = ask(moody, "return caught(client.getWhoAmI());")

    assert thrown["message"] == "getWhoAmI: The service answered 413. (413)"
    assert (thrown["code"], thrown["errors"]) == ("", [])


def test_a_program_ends_a_request_while_it_waits(moody: MoodyServer) -> None:
    moody.will(refused(503, Retry_After="60"), answer(VIDEO))

    thrown = ask(
        moody,
        """
        const stop = new AbortController();
        const asked = client.getWhoAmI({}, { signal: stop.signal });
        setTimeout(() => stop.abort(new Error("enough")), 200);
        return caught(asked);
        """,
    )

    assert len(moody.asked) == 1
    assert thrown["message"] == "enough"


def test_a_server_that_says_nothing_is_not_waited_for() -> None:
    thrown = run(
        """
        const net = await import("node:net");
        const mute = net.createServer().listen(0, "127.0.0.1");
        await new Promise((listening) => mute.on("listening", listening));
        const apiURL = `http://127.0.0.1:${mute.address().port}`;
        const client = new hv.HvClient({ apiURL, maxTries: 2, timeoutMs: 100 });
        const thrown = await caught(client.getHealth());
        mute.close();
        return { ...thrown, apiURL };
        """
    )

    assert thrown["name"] == "UnreachableError"
    assert thrown["message"] == (
        f"getHealth: {thrown['apiURL']} did not answer within 100 ms."
    )


def test_nothing_that_is_shown_has_the_key_or_an_address_of_an_upload(
    moody: MoodyServer,
) -> None:
    moody.will(CUT, refused(403), CUT)

    shown = ask(
        moody,
        """
        const { inspect } = await import("node:util");
        const upload = `${given.url}/uploads/1?signature=secret`;
        const once = { maxTries: 1 };
        const errors = [];
        for (const ask of [
          () => client.getWhoAmI({}, once),
          () => hv.uploadTo(upload, new Blob(["film"]), once),
          () => hv.uploadTo(upload, new Blob(["film"]), once),
        ]) {
          errors.push(await ask().then(() => "no error", (error) => error));
        }
        return [client, ...errors].map((value) => inspect(value, { showHidden: true, depth: 9 })).join();
        """,
    )

    assert shown.count("Error: ") >= 3
    assert "no error" not in shown
    assert KEY not in shown
    assert "signature" not in shown


def test_node_18_has_its_random_numbers_elsewhere(moody: MoodyServer) -> None:
    moody.will(answer({}))

    ask(
        moody,
        'await client.createUploadUrl({ fileName: "a" });',
        "--no-experimental-global-webcrypto",
    )

    (key,) = moody.values("Idempotency-Key")
    assert key


def test_waiting_outlives_a_service_that_does_not_answer(moody: MoodyServer) -> None:
    def details(*, ready: bool) -> Reply:
        status = {"ready": ready, "transcoding": not ready, "failed": False}
        return answer({"id": "vid_1", "status": status})

    moody.will(CUT, details(ready=False), BUSY, CUT, details(ready=True), CUT)
    wait = """
        const client = new hv.HvClient({ apiURL: given.url, maxTries: 1 });
        const wait = (timeoutS) => client.waitUntilReady("vid_1", { timeoutS, everyS: 0.01 });
    """

    ready = run(wait + "return (await wait(60)).status.ready;", url=moody.url)
    thrown = run(wait + "return caught(wait(0));", url=moody.url)

    assert ready is True
    assert thrown["name"] == "UnreachableError"


def test_what_stays_ends_the_waiting(moody: MoodyServer) -> None:
    moody.will(refused(404, "video_not_found"))

    thrown = ask(moody, 'return caught(client.waitUntilReady("vid_1"));')

    assert thrown["code"] == "video_not_found"
