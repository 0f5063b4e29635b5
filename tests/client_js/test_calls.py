"""
Calls of the API, by its own service.
"""

from typing import Any

from tests.client_js.conftest import ClientSite
from tests.client_js.moody_server import MoodyServer, answer
from tests.client_js.running import node_with, run
from tests.support.http.world import job_of, media

CLIENT = "const client = new hv.HvClient(given);"


def ask(site: ClientSite, script: str, **given: object) -> Any:  # noqa: ANN401 - JSON data
    return run(CLIENT + script, **site.given, **given)


def test_the_module_is_where_the_api_is_and_knows_it(site: ClientSite) -> None:
    # Node loads no modules by HTTP: what a browser does is done by hand.
    done = run(
        """
        const text = await (await fetch(`${given.apiURL}/client.js`)).text();
        const at = JSON.stringify(`${given.apiURL}/client.js`);
        const from = `data:text/javascript,${encodeURIComponent(text.replaceAll("import.meta.url", at))}`;
        const { HvClient } = await import(from);
        return new HvClient({ apiKey: given.apiKey }).getWhoAmI();
        """,
        **site.given,
    )

    assert done["orgID"] == "org_a"


def test_the_address_may_be_that_of_any_documentation(site: ClientSite) -> None:
    told = ask(
        site,
        """
        const endings = ["", "/", "/v1", "/v1/", "/v1/api"];
        const clients = endings.map((ending) => new hv.HvClient({ apiURL: given.apiURL + ending }));
        return Promise.all(clients.map(async (it) => (await it.getLiveness()).status));
        """,
    )

    assert told == ["ok"] * 5


def test_without_an_address_it_says_what_to_do() -> None:
    said = run("return caught((async () => new hv.HvClient())());")

    assert said["name"] == "TypeError"
    assert "apiURL, such as https://" in said["message"]


def test_a_list_is_its_first_page_or_all_of_its_items(site: ClientSite) -> None:
    made = [site.world.ready(name=f"list {number}") for number in range(5)]
    wanted = {"search": "list", "pageSize": 2, "sortBy": "name", "sortDir": "asc"}

    page, ids, sizes = ask(
        site,
        """
        const page = await client.listVideos(given.wanted);
        const ids = [];
        for await (const { id } of client.listVideos(given.wanted)) ids.push(id);
        const sizes = [];
        for await (const { videos } of client.listVideos(given.wanted).pages()) sizes.push(videos.length);
        return [page, ids, sizes];
        """,
        wanted=wanted,
    )

    assert page["pagination"]["total"] == 5
    assert [video["id"] for video in page["videos"]] == made[:2]
    assert ids == made
    assert sum(sizes) == 5
    assert max(sizes) == 2


def test_a_list_that_is_refused_throws_when_it_is_read(site: ClientSite) -> None:
    thrown = ask(
        site,
        """
        const all = async () => { for await (const _ of client.listVideos({ pageSize: 999 })); };
        return [await caught(all()), await caught(client.listVideos({ pageSize: 999 }))];
        """,
    )

    assert [one["code"] for one in thrown] == ["invalid_page_size"] * 2


def test_a_list_takes_several_metadata_and_a_visibility(site: ClientSite) -> None:
    both, one = site.world.ready(is_public=False), site.world.ready()

    found = ask(
        site,
        """
        const { both, one } = given;
        await client.updateVideo({ videoID: both, metadata: { order: "8", hall: "a,b" } });
        await client.updateVideo({ videoID: one, metadata: { order: "8" } });
        const asked = [
          { metadata: ["order:8", "hall:a,b"] },
          { metadata: "order:8", allowPublicAccess: true },
          { metadata: ["order:8"], allowPublicAccess: false },
          { metadata: null, allowPublicAccess: null, search: "no such" },
        ];
        return Promise.all(asked.map(async (it) => (await client.listVideos(it)).videos.map(({ id }) => id)));
        """,
        both=both,
        one=one,
    )

    assert found == [[both], [one], [both], []]


def test_a_second_deletion_is_an_error_of_its_own(site: ClientSite) -> None:
    video = site.world.ready()

    thrown = ask(
        site,
        """
        const { videoID } = given;
        await client.deleteVideo({ videoID });
        const again = [client.deleteVideo({ videoID }), client.deleteVideoInOrganization({ orgID: "org_a", videoID })];
        return Promise.all(again.map(async (call) => {
          const error = await call.catch((thrown) => thrown);
          return [error.name, error.code, error instanceof hv.AlreadyDeletedError, error instanceof hv.ApiError];
        }));
        """,
        videoID=video,
    )

    assert thrown == [["AlreadyDeletedError", "already_deleted", True, True]] * 2


def test_a_change_for_an_older_state_is_refused(site: ClientSite) -> None:
    video = site.world.ready()

    seen, changed, found, refused, is_refusal = ask(
        site,
        """
        const { videoID } = given;
        const seen = await client.getVideo({ videoID });
        const changed = await client.updateVideo({ videoID, tags: ["a"], ifMatch: seen.etag });
        const late = client.updateVideo({ videoID, tags: ["b"], ifMatch: seen.etag });
        const error = await late.catch((thrown) => thrown);
        const found = await client.getVideoDetailsInOrganization({ orgID: "org_a", videoID });
        await client.updateVideo({ videoID, tags: ["c"], ifMatch: undefined });
        return [seen.etag, changed, found, await caught(late), error instanceof hv.PreconditionFailedError];
        """,
        videoID=video,
    )

    assert (refused["name"], refused["code"]) == (
        "PreconditionFailedError",
        "precondition_failed",
    )
    assert is_refusal is True
    assert found["tags"] == changed["tags"] == ["a"]
    assert found["etag"] == changed["etag"] != seen


def test_events_go_on_after_a_cursor(site: ClientSite) -> None:
    told = ask(site, "return (await client.listEvents({ limit: 200 })).cursor;")
    videos = [site.world.ready() for _ in range(2)]

    kinds, cursor = ask(
        site,
        """
        const kinds = [];
        for await (const { event, videoId } of client.listEvents({ after: given.after, limit: 3 })) {
          kinds.push([event, videoId]);
        }
        let cursor;
        for await (const page of client.listEvents({ after: given.after, limit: 3 }).pages()) cursor = page.cursor;
        return [kinds, cursor];
        """,
        after=told,
    )

    assert kinds == [
        [f"video.processing.{what}", video]
        for video in videos
        for what in ("started", "completed")
    ]
    assert (
        ask(
            site,
            "return (await client.listEvents(given.at)).events;",
            at={"after": cursor},
        )
        == []
    )


def test_each_kind_of_body_arrives(site: ClientSite) -> None:
    video = site.world.ready()

    told = ask(
        site,
        """
        const { videoID } = given;
        const vtt = "WEBVTT\\n\\n00:00.000 --> 00:01.000\\nHello\\n";
        const set = await client.setCaptions({ videoID, language: "en", label: "English", body: vtt });
        const changed = await client.updateVideo({ videoID, videoName: "é", tags: ["a", "b"] });
        const csv = await client.getUsage({ format: "csv" });
        const report = await client.getUsage();
        const options = await client.getResumableUploadOptions();
        const document = await client.getOpenApiDocument();
        const deleted = await client.deleteVideo({ videoID, reason: "user_request" });
        return { set, changed, csv, report, options: options === undefined, document, deleted };
        """,
        videoID=video,
    )

    assert told["set"]["captions"][0]["label"] == "English"
    assert (told["changed"]["name"], told["changed"]["tags"]) == ("é", ["a", "b"])
    assert told["csv"].startswith("idpOrgId,")
    assert isinstance(told["report"]["usage"], list)
    assert told["options"] is True
    assert told["document"]["openapi"].startswith("3.1")
    assert told["deleted"]["status"] == "deleted"


def test_a_body_without_a_type_is_sent_by_what_it_begins_with(site: ClientSite) -> None:
    video = site.world.ready()

    told = ask(
        site,
        """
        const srt = "1\\n00:00:00,000 --> 00:00:01,000\\nHello\\n";
        const vtt = "\\ufeffWEBVTT\\n\\n00:00.000 --> 00:01.000\\nHello\\n";
        const bytes = (text) => new TextEncoder().encode(text);
        const png = bytes("\\u0089PNG").slice(1);
        const bodies = [srt, bytes(srt), new Blob([srt]), vtt, bytes(vtt), bytes(vtt).buffer];
        const cues = [];
        for (const body of bodies) {
          const { captions } = await client.setCaptions({ videoID: given.videoID, language: "en", body });
          cues.push(captions[0].cues);
        }
        const picture = await caught(client.setThumbnail({ videoID: given.videoID, body: png }));
        return { cues, picture: picture.message };
        """,
        videoID=video,
    )

    assert told["cues"] == [1] * 6
    assert "as image/png" in told["picture"]


def test_a_deletion_needs_no_reason(site: ClientSite) -> None:
    video = site.world.ready()

    deleted = ask(
        site, "return client.deleteVideo(given.video);", video={"videoID": video}
    )

    assert deleted["status"] == "deleted"


def test_what_is_missing_or_misspelt_is_said_before_anything_is_sent(
    site: ClientSite,
) -> None:
    cases = [
        ("getVideo()", "getVideo needs videoID."),
        ('getVideo({ videoID: "" })', "getVideo needs videoID."),
        ('getVideo({ videoID: ".." })', "getVideo needs videoID."),
        ("listVideos({ pagesize: 3 })", "listVideos takes no pagesize."),
        ('setChapters({ videoID: "vid_1" })', "setChapters needs body."),
        (
            'updateVideo({ videoID: "vid_1", videoName: "a", desc: "b" })',
            "updateVideo takes no desc.",
        ),
        ("createResumableUpload({})", "createResumableUpload needs uploadLength."),
    ]

    calls = ", ".join(f"caught(client.{call})" for call, _ in cases)
    thrown = ask(site, f"return Promise.all([{calls}]);")

    assert [one["name"] for one in thrown] == ["TypeError"] * len(cases)
    assert [one["message"] for one in thrown] == [said for _, said in cases]


def test_an_id_with_strange_characters_is_no_other_address(
    moody: MoodyServer,
) -> None:
    moody.will(answer({}))

    run(
        """
        const client = new hv.HvClient({ apiURL: given.url });
        await client.getVideo({ videoID: "a/../b?c#d" });
        """,
        url=moody.url,
    )

    assert moody.paths() == ["/v1/videos/a%2F..%2Fb%3Fc%23d"]


def test_what_is_no_method_can_be_asked_for_all_the_same(site: ClientSite) -> None:
    told = ask(
        site,
        """
        const listed = await client.request("GET", "/v1/videos", { query: { pageSize: "1" } });
        const made = await client.request("POST", "/v1/videos/upload-url", {
          json: { fileName: "a.mp4" }, idempotencyKey: "one",
        });
        return [listed.body.pagination.pageSize, made.body.videoID];
        """,
    )

    assert told[0] == 1
    assert told[1].startswith("vid_")


def test_waiting_ends_when_the_video_can_be_played(site: ClientSite) -> None:
    video = site.world.transcoding()
    node = node_with()
    node.start(
        CLIENT
        + """
        const onProgress = ({ status }) => tell(status);
        const wanted = { everyS: 0.05, onProgress };
        return (await client.waitUntilReady(given.videoID, wanted)).status.ready;
        """,
        **site.given,
        videoID=video,
    )
    first = node.hear()
    finish(site, video)
    told = [first]
    while isinstance(told[-1], dict):
        told.append(node.hear())

    assert first == {"ready": False, "transcoding": True, "failed": False}
    *_, last, returned = told
    assert last == {"ready": True, "transcoding": False, "failed": False}
    assert returned is True


def finish(site: ClientSite, video_id: str) -> None:
    site.world.change(
        video_id, lambda video: video.mark_ready(job_of(video), media(75.5))
    )


def test_waiting_ends_when_the_video_fails_or_time_is_up(site: ClientSite) -> None:
    failed, slow = site.world.failed(), site.world.transcoding()

    told = ask(
        site,
        """
        const orgID = "org_a";
        return [
          await caught(client.waitUntilReady(given.failed, { orgID })),
          await caught(client.waitUntilReady(given.slow, { timeoutS: 0.1, everyS: 0.06 })),
        ];
        """,
        failed=failed,
        slow=slow,
    )

    assert [one["name"] for one in told] == [
        "ProcessingFailedError",
        "StillProcessingError",
    ]
    assert told[0]["reason"] == "There is no picture."
    assert (told[0]["videoID"], told[1]["videoID"]) == (failed, slow)
