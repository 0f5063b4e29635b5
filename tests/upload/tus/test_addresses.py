"""
The address of an upload is a secret that cannot be changed.
"""

from collections.abc import Callable
from urllib.parse import urlsplit

from falcon.testing import TestClient

from hvcore_reference.public_paths import by_path
from tests.support.http.world import World, problem_of
from tests.upload.tus.exchange import (
    DATA,
    ask,
    created,
    files,
    grant_of,
    offset_of,
    patch,
)


def test_a_tampered_address_is_refused(api: World, client: TestClient) -> None:
    location, other = created(api), created(api)
    path, query = urlsplit(location).path, urlsplit(location).query
    grant = grant_of(api, location)
    signed = api.services.upload_signer.sign(grant.id, 99999999999, api.clock.now())
    tampered = [
        path,
        f"{path}?signature=",
        f"{path}?{query}0",
        f"{path}?{query}&{query}",
        f"{path}?{query.upper()}",
        f"{path}?{urlsplit(other).query}",
        f"{path}?{urlsplit(signed).query}",
        f"/uploads/up_x?{query}",
        f"/uploads/%2e%2e?{query}",
        f"/uploads/..%2f..%2fetc%2fpasswd?{query}",
        f"/uploads/{grant.id}%00?{query}",
    ]

    for address in tampered:
        result = patch(client, address, DATA)
        assert result.status_code in {403, 404}, address
        assert ask(client, "DELETE", address).status_code in {403, 404}
    assert files(api) == []
    assert offset_of(client, location) == 0


def test_one_kind_of_address_is_not_good_for_the_other(
    api: World, client: TestClient
) -> None:
    location = urlsplit(created(api))
    path = location.path.replace("/uploads/", "/upload/")

    for query in (location.query, f"{location.query}&expires=99999999999"):
        result = client.simulate_put(path, query_string=query, body=DATA)
        problem_of(result, 403, "forbidden")


def test_the_process_leads_the_address_to_the_upload_app() -> None:
    called: list[str] = []

    def app(name: str) -> Callable[..., list[bytes]]:
        def answer(*_: object) -> list[bytes]:
            called.append(name)
            return []

        return answer

    both = by_path(upload=app("upload"), player=app("player"), delivery=app("delivery"))
    for path in ("/upload/up_1", "/uploads/up_1", "/uploadsx", "/v1/public/x"):
        both({"PATH_INFO": path}, None)

    assert called == ["upload", "upload", "delivery", "delivery"]
