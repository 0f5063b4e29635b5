"""
What was checked is what is connected to, also after redirects, and also when
names change their mind.
"""

import pytest

from hvcore.safe_http import OutboundError, OutboundHttp, TargetRefusedError
from tests.safe_http.conftest import SOURCE_NAME, Outside
from tests.services.conftest import World
from tests.support.network.outbound import MP4, PUBLIC


def fetch(outside: Outside, path: str, max_redirects: int = 5) -> bytes:
    url = outside.source_url(path)
    with outside.http.get(url, deadline_s=10, max_redirects=max_redirects) as found:
        return b"".join(found.blocks())


def test_redirects_to_fine_targets_are_followed(outside: Outside) -> None:
    outside.source.redirects("/a", "/b", 301)
    outside.source.redirects("/b", "c?x=1", 302)
    outside.source.redirects("/c", f"//{SOURCE_NAME}:{outside.source.port}/d", 303)
    outside.source.redirects("/d", outside.source_url("/e"), 307)
    outside.source.redirects("/e", "./f#fragment", 308)
    outside.source.gives("/f")

    assert fetch(outside, "/a") == MP4
    paths = [request.path for request in outside.source.requests]
    assert paths == ["/a", "/b", "/c?x=1", "/d", "/e", "/f"]


def test_a_sixth_redirect_is_not_followed(outside: Outside) -> None:
    for number in range(7):
        outside.source.redirects(f"/{number}", f"/{number + 1}")

    with pytest.raises(TargetRefusedError, match="more than 5"):
        fetch(outside, "/0")

    assert len(outside.source.requests) == 6


def test_a_redirect_to_itself_ends(outside: Outside) -> None:
    outside.source.redirects("/loop", "/loop")

    with pytest.raises(TargetRefusedError, match="more than 5"):
        fetch(outside, "/loop")


@pytest.mark.parametrize("hops", range(5))
def test_the_last_of_many_redirects_is_judged_too(outside: Outside, hops: int) -> None:
    for number in range(hops):
        outside.source.redirects(f"/{number}", f"/{number + 1}")
    outside.source.redirects(f"/{hops}", f"http://127.0.0.1:{outside.canary.port}/")

    with pytest.raises(TargetRefusedError, match="https only"):
        fetch(outside, "/0")

    assert outside.was_spared()


def test_a_task_does_not_follow_a_redirect_to_a_private_target(
    world: World, outside: Outside
) -> None:
    outside.source.redirects("/v", f"http://127.0.0.1:{outside.canary.port}/v.mp4")
    video = world.services.fetching.fetch_video(
        world.env, outside.source_url("/v"), world.file(), world.wanted()
    )

    world.run_tasks()

    assert world.video(video.id).failure_reason == (
        "The host 127.0.0.1 is reached with https only, unless the operator of this "
        "service allows more."
    )
    assert outside.was_spared()


def test_a_post_follows_no_redirect_at_all(outside: Outside) -> None:
    outside.source.redirects("/hook", f"http://127.0.0.1:{outside.canary.port}/")

    answer = outside.http.post(
        outside.source_url("/hook"), body=b"{}", headers={}, timeout_s=10
    )

    assert answer.status == 302
    assert outside.was_spared()


def test_a_name_that_turns_private_after_the_check_is_refused_when_used(
    outside: Outside,
) -> None:
    outside.names.set("rebind.example", [PUBLIC], ["127.0.0.1"])
    url = "https://rebind.example/v.mp4"
    outside.http.check(url, client="org_a")

    with (
        pytest.raises(TargetRefusedError, match="not on the public"),
        outside.http.get(url, deadline_s=10),
    ):
        pass

    assert outside.connects == []


def test_a_name_is_looked_up_once_for_each_connection(outside: Outside) -> None:
    # Whatever it turns into later, the address that was judged is used.
    outside.names.set(SOURCE_NAME, ["127.0.0.1"], ["127.0.0.2"])
    outside.source.gives("/v")

    assert fetch(outside, "/v") == MP4
    assert outside.names.asked == [SOURCE_NAME]
    assert outside.connects == [("127.0.0.1", outside.source.port)]


def test_a_name_that_turns_private_between_redirects_is_refused(
    outside: Outside,
) -> None:
    allowed = f"{SOURCE_NAME}:{outside.source.port}"
    http = OutboundHttp(allowed_hosts=[allowed], resolve=outside.names)
    outside.names.set("rebind.example", [PUBLIC], ["10.0.0.1"])
    http.check("https://rebind.example/", client="org_a")
    outside.source.redirects("/start", "https://rebind.example/")

    with (
        pytest.raises(TargetRefusedError, match="not on the public"),
        http.get(outside.source_url("/start"), deadline_s=10),
    ):
        pass

    assert outside.was_spared()


def test_a_network_that_is_allowed_does_not_allow_another_address_of_a_name(
    outside: Outside,
) -> None:
    outside.names.set("mixed.example", ["127.0.0.1", "10.0.0.1"])
    http = OutboundHttp(allowed_hosts=["127.0.0.0/8"], resolve=outside.names)
    url = f"http://mixed.example:{outside.source.port}/"

    with (
        pytest.raises(TargetRefusedError, match="https only"),
        http.get(url, deadline_s=10),
    ):
        pass

    assert outside.connects == []


def test_an_allowed_port_allows_no_other_port(outside: Outside) -> None:
    allowed = f"{SOURCE_NAME}:{outside.source.port}"
    http = OutboundHttp(allowed_hosts=[allowed], resolve=outside.names)

    with pytest.raises(TargetRefusedError, match="https only"):
        http.check(f"http://{SOURCE_NAME}:{outside.canary.port}/", client="org_a")

    http.check(outside.source_url("/"), client="org_a")


def test_a_name_without_an_address_is_an_error_and_no_refusal(
    outside: Outside,
) -> None:
    url = "https://unknown.example/"

    outside.http.check(url, client="org_a")

    with (
        pytest.raises(OutboundError, match=r"unknown\.example is not known"),
        outside.http.get(url, deadline_s=10),
    ):
        pass


def test_proxies_of_the_environment_are_not_used(
    outside: Outside, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("http_proxy", "HTTP_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(name, f"http://127.0.0.1:{outside.canary.port}")
    outside.source.gives("/v")

    assert fetch(outside, "/v") == MP4
    assert outside.was_spared()


def test_nothing_of_ours_is_sent_along(
    outside: Outside, monkeypatch: pytest.MonkeyPatch, folder: object
) -> None:
    netrc = f"{folder}/netrc"
    with open(netrc, "w") as file:  # noqa: PTH123 - a path as the variable has it
        file.write(f"machine {SOURCE_NAME} login me password secret\n")
    monkeypatch.setenv("NETRC", netrc)
    outside.source.gives(
        "/a", b"", status=302, headers={"Location": "/b", "Set-Cookie": "a=b"}
    )
    outside.source.gives("/b")

    fetch(outside, "/a")

    assert outside.source.requests[-1].headers == {
        "host": f"{SOURCE_NAME}:{outside.source.port}",
        "user-agent": "hvcore",
        "accept": "*/*",
        "accept-encoding": "identity",
        "connection": "close",
    }
