"""
Each answer is lost once on its way, and lists change while they are gone through.
"""

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any, Final

import attrs
import pytest

from hvcore.settings.tree import LimitSettings
from tests.client_js.conftest import served
from tests.client_js.running import run
from tests.conftest import SettableClock
from tests.support.http.fixtures import Template, settings_of
from tests.support.http.world import World
from tests.support.network.swallowing_proxy import SwallowingProxy, swallowing_proxy

CLIENT: Final = "const client = new hv.HvClient(given);"
AT_ONCE: Final = """
const slow = globalThis.setTimeout;
globalThis.setTimeout = (then, ms) => slow(then, ms < 10_000 ? 1 : ms);
try {
  %s
} finally {
  globalThis.setTimeout = slow;
}
"""
"""Does not wait between two tries."""
VTT: Final = "WEBVTT\n\n00:00.000 --> 00:02.000\nHello\n"


@attrs.frozen(kw_only=True)
class LossySite:
    """
    A service, and the proxy before it.
    """

    world: World
    proxy: SwallowingProxy

    def ask(self, script: str, *, loses: bool = True, **given: object) -> Any:  # noqa: ANN401 - JSON data
        """
        Run a program that has a client.
        """
        self.proxy.forget()
        self.proxy.is_swallowing = loses
        options = {"apiURL": self.proxy.url, "apiKey": self.world.key.value}
        program = AT_ONCE % (CLIENT + script) if loses else CLIENT + script
        return run(program, **options, **given)


@pytest.fixture(scope="module")
def site(
    _template: Template, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[LossySite]:
    settings = settings_of(tmp_path_factory.mktemp("lossy"))
    with swallowing_proxy() as proxy:
        settings = attrs.evolve(
            settings,
            limits=LimitSettings(enabled=False),
            public=attrs.evolve(settings.public, upload_url=proxy.url),
        )
        clock = SettableClock(datetime.now(UTC))
        with _template.open(settings, clock) as world, served(world) as port:
            proxy.to_port = port
            yield LossySite(world=world, proxy=proxy)


@pytest.mark.parametrize("family", ["", "InOrganization"])
def test_a_change_whose_answer_was_lost_is_a_success(
    site: LossySite, family: str
) -> None:
    video = site.world.ready()

    told = site.ask(
        """
        const { family, video, vtt } = given;
        const ids = { videoID: video, ...(family && { orgID: "org_a" }) };
        const own = family && { orgID: "org_a" };
        const call = (name, params) => client[name + family](params);
        const english = { ...ids, language: "en" };
        const captions = await call("setCaptions", { ...english, body: vtt });
        const noCaptions = await call("removeCaptions", english);
        await call("setChapters", { ...ids, body: vtt });
        const noChapters = await call("removeChapters", ids);
        const share = await call("createShareLink", ids);
        const shareGone = await call("revokeShareLink", { ...ids, shareID: share.shareID });
        const [one, other] = [await call("createEdgeKey", ids), await call("createEdgeKey", ids)];
        const oneGone = await call("revokeEdgeKey", { ...own, edgeKey: one.edgeKey });
        const otherGone = await call("revokeVideoEdgeKey", { ...ids, edgeKey: other.edgeKey });
        const deleted = await call("deleteVideo", { ...ids, reason: "user_request" });
        return {
          captions, noCaptions, noChapters, deleted,
          revoked: [[share, shareGone], [one, oneGone], [other, otherGone]],
        };
        """,
        video=video,
        family=family,
        vtt=VTT,
    )

    # The keys are made with the same request: one answer is lost.
    assert len(site.proxy.lost) >= 10
    assert [c["language"] for c in told["captions"]["captions"]] == ["en"]
    # Read anew, as the list is: with jobs.
    assert told["noCaptions"] == {"captions": [], "jobs": []}
    assert told["noChapters"] == {"chapters": []}
    assert told["deleted"]["status"] == "deleted"
    assert datetime.fromisoformat(told["deleted"]["deletedAt"]).tzinfo
    for made, gone in told["revoked"]:
        assert gone["revokedAt"]
        assert {**gone, "revokedAt": None} == made


def test_a_repeated_change_that_was_made_before_the_call_stays_refused(
    site: LossySite,
) -> None:
    video = site.world.ready()

    refused = site.ask(
        """
        const { edgeKey } = await client.createEdgeKey({ videoID: given.video });
        await client.revokeEdgeKey({ edgeKey });
        await client.deleteVideo({ videoID: given.video });
        return [
          await caught(client.revokeEdgeKey({ edgeKey })),
          await caught(client.deleteVideo({ videoID: given.video })),
        ];
        """,
        loses=False,
        video=video,
    )

    codes = [(one["code"], one["followsLostAnswer"]) for one in refused]
    assert codes == [("not_found", False), ("already_deleted", False)]


def test_a_change_that_is_sent_once_says_that_its_answer_was_lost(
    site: LossySite,
) -> None:
    video, failed = site.world.ready(), site.world.failed()

    thrown = site.ask(
        """
        return [
          await caught(client.updateVideo({ videoID: given.video, description: "new" })),
          await caught(client.retryVideo({ videoID: given.failed })),
        ];
        """,
        video=video,
        failed=failed,
    )

    assert [one["name"] for one in thrown] == ["UnreachableError"] * 2
    assert [status for _, _, status in site.proxy.carried_out] == [200] * 2


def test_an_upload_gives_its_id_whichever_answers_are_lost(site: LossySite) -> None:
    made, grant, fetched = site.ask(
        """
        const file = new Blob(["a video, nearly".repeat(1000)]);
        const made = await client.upload(file, { fileName: "a.mp4", chunkBytes: 9000 });
        const grant = await client.createUploadUrl({ fileName: "b.mp4" });
        const fetched = await client.createVideoFromUrl({ fileName: "c.mp4", videoURL: "https://example.com/c.mp4" });
        return [made, grant, fetched];
        """
    )

    details = site.ask(
        "return client.getVideo(given.video);", video={"videoID": made["videoID"]}
    )
    assert details["status"]["transcoding"] is True
    assert grant["signedURL"]
    assert fetched["videoID"]


@pytest.mark.parametrize("pages", ["", ".pages()"])
def test_a_list_is_emptied_by_deleting_what_it_gives(
    site: LossySite, pages: str
) -> None:
    name = f"emptied{pages}"
    made = {site.world.ready(name=f"{name} {number}") for number in range(25)}

    given = site.ask(
        f"""
        const given_ = [];
        for await (const found of client.listVideos({{ search: given.name, pageSize: 10 }}){pages}) {{
          for (const {{ id }} of found.videos ?? [found]) {{
            given_.push(id);
            await client.deleteVideo({{ videoID: id }});
          }}
        }}
        return given_;
        """,
        loses=False,
        name=name,
    )

    assert set(given) == made
    assert len(given) == len(made)


@pytest.mark.parametrize("sort_dir", ["asc", "desc"])
def test_videos_are_given_once_while_others_come_and_go(
    site: LossySite, sort_dir: str
) -> None:
    label = f"moving {sort_dir}"
    there = [site.world.ready(name=f"{label} {number:02}") for number in range(30)]
    unwanted = there[::3]

    given = site.ask(
        """
        const ids = [];
        const { unwanted, label, sortDir } = given;
        const wanted = { search: label, sortDir, pageSize: 5, status: "ready" };
        for await (const { id } of client.listVideos(wanted)) {
          ids.push(id);
          if (ids.length % 2 === 0 && unwanted.length) {
            await client.deleteVideo({ videoID: sortDir === "asc" ? unwanted.shift() : unwanted.pop() });
            await client.createVideoFromUrl({ fileName: "new.mp4", videoName: label, videoURL: "https://example.com/n.mp4" });
          }
        }
        return ids;
        """,
        loses=False,
        label=label,
        unwanted=unwanted,
        sortDir=sort_dir,
    )

    assert len(set(given)) == len(given)
    assert set(there) - set(unwanted) <= set(given)


def test_a_list_can_be_gone_through_from_a_later_page_on(site: LossySite) -> None:
    made = [site.world.ready(name=f"later {number}") for number in range(9)]

    given = site.ask(
        """
        const ids = [];
        const wanted = { search: "later", sortBy: "name", sortDir: "asc", page: 2, pageSize: 3 };
        for await (const { id } of client.listVideos(wanted)) ids.push(id);
        return ids;
        """
    )

    assert given == made[3:]
