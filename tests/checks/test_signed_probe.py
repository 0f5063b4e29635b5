"""
Judgements of ``hv doctor storage`` by a store's answers to signed requests.
"""

import time
from collections.abc import Mapping
from email.utils import formatdate

import attrs
import pytest

from hvcore.ports.direct_uploads import WriteAddress
from hvcore_checks.signed_probe import CLOCK_S, DATA, TYPE, SignedProbe
from hvcore_checks.store_requests import StoreAnswer, StoreClient

URL = "https://bucket.store.test/doctor/x?X-Amz-Signature=0abc"
PAGE = "https://app.example.com"
MAY: dict[str, str] = {
    "access-control-allow-origin": PAGE,
    "access-control-allow-methods": "get, put",
    "access-control-allow-headers": "Range, Content-Type",
}


@attrs.define
class SigningStore:
    """
    Signs every address alike.
    """

    address: WriteAddress

    can_presign_writes = True

    def write_address(self, *_: object, **__: object) -> WriteAddress:
        return self.address


@attrs.define
class WrittenAnswers(StoreClient):
    """
    Answers from a list, and keeps what it was asked.
    """

    answers: list[StoreAnswer]
    asked: list[tuple[object, ...]] = attrs.Factory(list)

    def ask(
        self, method: str, url: str, body: bytes | None = None, **headers: str
    ) -> StoreAnswer:
        self.asked.append((method, url, body, headers))
        return self.answers.pop(0)


def answer(
    status: int = 200, headers: Mapping[str, str] | None = None, code: str = ""
) -> StoreAnswer:
    now = time.time()
    return StoreAnswer(
        status=status,
        headers=headers or {},
        body=b"",
        code=code,
        sent_at=now,
        ended_at=now,
    )


def probe(
    *answers: StoreAnswer, url: str = URL, binds: bool = True
) -> tuple[SignedProbe, WrittenAnswers]:
    client = WrittenAnswers(list(answers))
    address = WriteAddress(url=url, binds_type=binds, binds_size=binds)
    made = SignedProbe(
        storage=SigningStore(address),  # type: ignore[arg-type]  # only signs
        client=client,
        folder="doctor",
        origin=PAGE,
        bucket="bucket",
    )
    return made, client


@pytest.mark.parametrize(
    ("status", "is_success"), [(199, False), (200, True), (299, True), (300, False)]
)
def test_only_statuses_of_success_are_one(status: int, *, is_success: bool) -> None:
    assert answer(status).is_success is is_success
    assert answer(403, code="AccessDenied").shown == "403 AccessDenied"
    assert answer(500).shown == "500"


def test_a_refused_write_says_what_helps_against_its_error() -> None:
    known, _ = probe(answer(403, code="RequestTimeTooSkewed"))
    unknown, _ = probe(answer(500))
    taken, client = probe(answer(201))

    (skewed,), (other,), (fine,) = known.writes(), unknown.writes(), taken.writes()

    assert (skewed.state, skewed.found) == (
        *("broken", "are refused: 403 RequestTimeTooSkewed"),
    )
    assert skewed.fix.startswith("Set the clocks")
    assert other.fix == "See docs/how-to/object-stores.md."
    assert fine.state == "ok"
    assert client.asked == [("PUT", URL, DATA, {"Content_Type": TYPE})]


@pytest.mark.parametrize(
    ("url", "forged"),
    [
        (URL, URL.replace("=0abc", "=1abc")),
        ("https://a/x?sig=9b&se=1", "https://a/x?sig=0b&se=1"),
    ],
)
def test_a_signature_is_forged_in_its_first_character(url: str, forged: str) -> None:
    strict, client = probe(answer(403), url=url)
    loose, _ = probe(answer(200), url=url)

    assert [strict.signatures()[0].state, loose.signatures()[0].state] == [
        *("ok", "broken")
    ]
    assert client.asked[0][1] == forged


@pytest.mark.parametrize(
    ("statuses", "state", "found"),
    [
        ((403, 403), "ok", "type and length"),
        ((200, 403), "warning", "another type than"),
        ((403, 200), "warning", "another length than"),
        ((200, 200), "warning", "another type and another length than"),
    ],
)
def test_the_type_and_length_that_a_signed_address_binds_are_told(
    statuses: tuple[int, int], state: str, found: str
) -> None:
    made, client = probe(*map(answer, statuses))

    (finding,) = made.bound()

    assert finding.state == state
    assert finding.found.startswith(found)
    assert client.asked == [
        ("PUT", URL, DATA, {"Content_Type": "video/webm"}),
        ("PUT", URL, DATA[:-1], {"Content_Type": TYPE}),
    ]
    (nothing,) = probe(binds=False)[0].bound()
    assert (nothing.state, nothing.found.startswith("nothing: ")) == ("warning", True)


@pytest.mark.parametrize(
    ("apart_s", "state"),
    [(0, "ok"), (CLOCK_S, "ok"), (-CLOCK_S, "ok"), (9, "warning"), (-9, "warning")],
)
def test_a_store_whose_clock_is_seconds_off_is_told(apart_s: float, state: str) -> None:
    now = int(time.time())
    date = formatdate(now + apart_s, usegmt=True)
    on_time = attrs.evolve(answer(headers={"date": date}), sent_at=now, ended_at=now)

    (finding,) = probe(on_time)[0].clock()

    assert finding.state == state
    if state == "warning":
        assert finding.found.startswith("8 s" if apart_s < 0 else "9 s")
    assert "does not tell" in probe(answer())[0].clock()[0].found


@pytest.mark.parametrize(
    ("headers", "status", "refused"),
    [
        (MAY, 200, ""),
        (
            dict.fromkeys(MAY, "*") | {"access-control-allow-methods": "GET,PUT"},
            204,
            "",
        ),
        (MAY, 403, "PUT with content-type, GET with range"),
        (MAY | {"access-control-allow-methods": "GET"}, 200, "PUT with content-type"),
        (MAY | {"access-control-allow-headers": "content-type"}, 200, "GET with range"),
        (MAY | {"access-control-allow-origin": "https://b.test"}, 200, "PUT with"),
        ({}, 200, "PUT with content-type, GET with range"),
    ],
)
def test_pages_may_send_and_read_where_the_rules_of_the_bucket_say_so(
    headers: Mapping[str, str], status: int, refused: str
) -> None:
    made, client = probe(*[answer(status, headers)] * 2)

    (finding,) = made.cross_origin()

    assert finding.state == ("warning" if refused else "ok")
    if refused:
        assert finding.found.startswith(f"pages of {PAGE} may not: {refused}")
    assert client.asked[0] == (
        *("OPTIONS", URL, None),
        {
            "Origin": PAGE,
            "Access_Control_Request_Method": "PUT",
            "Access_Control_Request_Headers": "content-type",
        },
    )


def test_the_style_of_addresses_is_told() -> None:
    (in_host,) = probe()[0].address_style()
    (in_path,) = probe(url="http://store.test/bucket/x")[0].address_style()

    assert in_host.found == (
        "clients send to https://bucket.store.test (the bucket is in the host)"
    )
    assert in_path.found == "clients send to http://store.test (path style)"
