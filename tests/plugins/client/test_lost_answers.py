"""
Each answer is lost once on its way; callers get what they wanted all the same.
"""

import asyncio
import io
import ssl
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, cast

import httpx
import pytest
from PIL import Image

from hvcore_client import (
    ApiError,
    AsyncHvClient,
    HvClient,
    NotFoundError,
    UnreachableError,
)
from hvcore_client.generated import operations
from hvcore_client.operation import Operation
from tests.plugins.client.conftest import Service, open_service
from tests.support.http.fixtures import Template
from tests.support.network.swallowing_proxy import SwallowingProxy, swallowing_proxy

Arguments = tuple[Sequence[object], Mapping[str, object]]

VTT: Final = "WEBVTT\n\n00:00.000 --> 00:02.000\nHello\n"
ORG: Final = "org_a"
PLAIN: Final = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
"""Without certificates, which take long to load."""
SOURCE: Final = "https://example.com/a.mp4"
TWIN: Final = "_in_organization"
REPEATED: Final[Mapping[str, str]] = {
    "delete_video": "status",
    "set_captions": "captions",
    "remove_captions": "captions",
    "set_chapters": "chapters",
    "remove_chapters": "chapters",
    "create_share_link": "share_id",
    "revoke_share_link": "share_id",
    "create_edge_key": "edge_key",
    "revoke_edge_key": "edge_key",
    "revoke_video_edge_key": "edge_key",
}
"""Calls that change something, and the member that tells that it is as wanted."""
SENT_ONCE: Final = ("update_video", "retry_video", "set_thumbnail")


@pytest.fixture(scope="module")
def proxy() -> Iterator[SwallowingProxy]:
    with swallowing_proxy() as found:
        yield found


@pytest.fixture(scope="module")
def lossy(
    _template: Template,
    proxy: SwallowingProxy,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[Service]:
    """A service behind the proxy."""
    with open_service(_template, tmp_path_factory.mktemp("lossy"), proxy) as found:
        yield found


@pytest.fixture(params=["blocking", "asyncio"])
def call(
    request: pytest.FixtureRequest, lossy: Service, proxy: SwallowingProxy
) -> Iterator[Callable[..., Any]]:
    """Call a method of one of both clients, by its name."""
    proxy.forget()
    proxy.is_swallowing = True
    if request.param == "blocking":
        with httpx.Client(trust_env=False, verify=PLAIN) as http:
            client = HvClient(lossy.url, lossy.key, http=http)
            client._sleep = [].append
            yield lambda name, *args, **kwargs: getattr(client, name)(*args, **kwargs)
        return

    async def slept(_seconds: float) -> None:
        await asyncio.sleep(0)

    async def called(name: str, *args: object, **kwargs: object) -> object:
        async with httpx.AsyncClient(trust_env=False, verify=PLAIN) as http:
            client = AsyncHvClient(lossy.url, lossy.key, http=http)
            client._sleep = slept
            return await cast(
                "Awaitable[object]", getattr(client, name)(*args, **kwargs)
            )

    yield lambda name, *args, **kwargs: asyncio.run(called(name, *args, **kwargs))


def directly(service: Service, name: str, *args: object, **kwargs: object) -> Any:  # noqa: ANN401 - of any call
    """Call a method, without a loss."""
    with httpx.Client(trust_env=False, verify=PLAIN) as http:
        proxy_less = HvClient(service.url, service.key, http=http)
        return getattr(proxy_less, name)(*args, **kwargs)


def prepared(service: Service, proxy: SwallowingProxy, name: str) -> Arguments:
    """Return the arguments of a call that changes something, which it can change."""
    proxy.is_swallowing = False
    video = service.world.ready()
    args: list[object] = [video]
    kwargs: dict[str, object] = {}
    if name.endswith("_captions"):
        directly(service, "set_captions", video, "en", content=VTT)
        args.append("en")
    if name.endswith("_chapters"):
        directly(service, "set_chapters", video, content=VTT)
    if name.startswith("set_"):
        kwargs["content"] = VTT
    if name == "revoke_share_link":
        args.append(directly(service, "create_share_link", video).share_id)
    if name.startswith("revoke_") and name.endswith("edge_key"):
        args.append(directly(service, "create_edge_key", video).edge_key)
    if name == "revoke_edge_key":
        args.pop(0)
    if name == "update_video":
        kwargs["description"] = "new"
    if name == "retry_video":
        args[0] = service.world.failed()
    if name == "set_thumbnail":
        Image.new("RGB", (64, 64), "red").save(made := io.BytesIO(), "PNG")
        kwargs = {"content": made.getvalue(), "content_type": "image/png"}
    proxy.is_swallowing = True
    return args, kwargs


@pytest.mark.parametrize("twin", ["", TWIN])
@pytest.mark.parametrize("name", list(REPEATED))
def test_a_change_whose_answer_was_lost_is_a_success(
    lossy: Service,
    proxy: SwallowingProxy,
    call: Callable[..., Any],
    name: str,
    twin: str,
) -> None:
    args, kwargs = prepared(lossy, proxy, name)

    result = call(f"{name}{twin}", *([ORG] if twin else []), *args, **kwargs)

    assert proxy.lost
    found = getattr(result, REPEATED[name])
    if name.startswith("remove_"):
        assert found == []
    elif name.startswith("set_"):
        assert len(found) == 1
    else:
        assert found
    if name.startswith("revoke_"):
        assert (found, result.revoked_at is None) == (args[-1], False)
    if name == "create_share_link":
        assert len(directly(lossy, "list_share_links", args[0]).shares) == 1
    if name == "create_edge_key":
        assert len(directly(lossy, "list_edge_keys", args[0]).edge_keys) == 1


@pytest.mark.parametrize("twin", ["", TWIN])
@pytest.mark.parametrize("name", SENT_ONCE)
def test_a_change_that_is_sent_once_says_that_its_answer_was_lost(
    lossy: Service,
    proxy: SwallowingProxy,
    call: Callable[..., Any],
    name: str,
    twin: str,
) -> None:
    args, kwargs = prepared(lossy, proxy, name)

    with pytest.raises(UnreachableError) as failed:
        call(f"{name}{twin}", *([ORG] if twin else []), *args, **kwargs)

    assert failed.value.was_sent
    assert [status for _, _, status in proxy.carried_out] == [200]


@pytest.mark.parametrize(
    "name", ["create_upload_url", "create_upload_url_in_environment"]
)
def test_an_upload_address_whose_answer_was_lost_is_the_first_one(
    lossy: Service, proxy: SwallowingProxy, call: Callable[..., Any], name: str
) -> None:
    before = call("list_videos").pagination.total
    where = [ORG, "live"] if name.endswith("environment") else []

    given = {"filename": "a.mp4", "file_size": 9} if where else {"file_name": "a.mp4"}

    made = call(name, *where, **given)

    assert made.signed_url
    assert call("list_videos").pagination.total == before
    answers = [status for method, *_, status in proxy.carried_out if method == "POST"]
    assert answers == [200, 200]


@pytest.mark.parametrize("name", ["create_video_from_url", "download_file"])
def test_a_fetch_whose_answer_was_lost_is_ordered_once(
    lossy: Service, proxy: SwallowingProxy, call: Callable[..., Any], name: str
) -> None:
    given = (
        {"source_url": SOURCE}
        if name == "download_file"
        else {"file_name": "a.mp4", "video_url": SOURCE}
    )

    assert call(name, **given)

    assert [status for *_, status in proxy.carried_out] == [200, 200]


@pytest.mark.parametrize("name", ["upload", "upload_by_put"])
def test_an_upload_gives_its_id_whichever_answers_are_lost(
    lossy: Service,
    proxy: SwallowingProxy,
    call: Callable[..., Any],
    name: str,
) -> None:
    before = len(directly(lossy, "list_videos", page_size=100).videos)
    proxy.forget()

    upload = call(name, io.BytesIO(b"a video, nearly" * 1000), file_name="a.mp4")

    proxy.is_swallowing = False
    assert call("get_video", upload.video_id).status.transcoding
    assert len(directly(lossy, "list_videos", page_size=100).videos) == before + 1
    assert {method for method, *_ in proxy.lost} >= {"POST"}


def test_a_file_that_is_put_to_an_address_arrives_though_the_answer_is_lost(
    lossy: Service, call: Callable[..., Any], tmp_path: Path
) -> None:
    (file := tmp_path / "a.mp4").write_bytes(b"a video, nearly" * 1000)
    grant = call("create_upload_url", file_name="a.mp4", content_type="video/mp4")

    assert call("put_file", grant.signed_url, file) is None

    with pytest.raises(ApiError) as second:
        call(
            "put_file", grant.signed_url, io.BytesIO(b"other"), content_type="video/mp4"
        )
    # What another call has sent is another file.
    assert second.value.code == "processing_in_progress"


def test_a_repeated_change_that_was_made_before_the_call_stays_refused(
    lossy: Service, proxy: SwallowingProxy, call: Callable[..., Any]
) -> None:
    proxy.is_swallowing = False
    video = lossy.world.ready()
    key = call("create_edge_key", video).edge_key
    call("revoke_edge_key", key)
    call("delete_video", video)

    with pytest.raises(ApiError) as deleted:
        call("delete_video", video)
    with pytest.raises(NotFoundError, match="revoked already"):
        call("revoke_edge_key", key)

    assert deleted.value.code == "already_deleted"
    assert not deleted.value.follows_lost_answer


def test_a_missing_thing_is_not_found_after_a_lost_answer_either(
    lossy: Service, call: Callable[..., Any]
) -> None:
    video = lossy.world.ready()

    for name, *args in (
        ("revoke_edge_key", f"ek_{'0' * 32}"),
        ("revoke_share_link", video, f"shr_{'0' * 32}"),
        ("delete_video", f"vid_{'0' * 22}"),
        ("remove_captions", f"vid_{'0' * 22}", "en"),
    ):
        with pytest.raises(NotFoundError, match=r"There is no such|revoked already"):
            call(name, *args)


def test_a_reading_call_is_asked_again_after_a_lost_answer(
    lossy: Service, proxy: SwallowingProxy
) -> None:
    proxy.is_swallowing = False
    proxy.forget()
    video = lossy.world.ready()
    with httpx.Client(trust_env=False, verify=PLAIN) as http:
        client = HvClient(lossy.url, lossy.key, http=http)
        client._sleep = [].append
        key = client.create_edge_key(video).edge_key
        given = {"org_id": ORG, "env_id": "live", "video_id": video, "edge_key": key}
        reading = [
            found
            for found in vars(operations).values()
            if isinstance(found, Operation) and found.method in {"GET", "OPTIONS"}
        ]
        without_loss = [_outcome(client, found, given) for found in reading]
        proxy.is_swallowing = True

        assert [_outcome(client, found, given) for found in reading] == without_loss

    assert len(reading) > 50
    assert len(proxy.lost) == len(reading)


def _outcome(
    client: HvClient, operation: Operation[Any], given: Mapping[str, object]
) -> object:
    try:
        return type(client._call(operation, given))
    except ApiError as error:
        return error.status, error.code
