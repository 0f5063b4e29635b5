"""
What ``hv doctor storage`` says of stores of several kinds.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from hvcore.assembly import build
from hvcore.domain.health_findings import HealthFinding
from hvcore.settings import load
from hvcore_checks import storage_probe
from tests.support.stores.azure_store import blob_names, environ_of_azure, new_container
from tests.support.stores.faulty_store import Fault, faulty_store
from tests.support.stores.google_store import environ_of_google, new_google_bucket
from tests.support.stores.object_store import (
    environ_of_bucket,
    environ_of_swift,
    new_bucket,
    new_swift_bucket,
    s3_client,
    s3_server,
    swift_client,
)


@pytest.fixture(scope="module")
def imitation() -> Iterator[str]:
    with s3_server() as endpoint:
        yield endpoint


def refuse_preflights(method: str, path: str, is_copy: bool) -> Fault | None:  # noqa: FBT001 - see FaultyStore.strikes
    del path, is_copy
    return Fault.ERROR_500 if method == "OPTIONS" else None


def findings(folder: Path, environ: Mapping[str, str]) -> dict[str, HealthFinding]:
    settings = load(config_path=None, environ=environ, data_dir=folder).settings
    with build(settings, rings=False) as services:
        found = list(storage_probe.probe_storage(services))
    assert len({one.check for one in found}) == len(found)
    return {one.check: one for one in found}


def test_a_store_that_checks_signatures_is_fine(swift: str, tmp_path: Path) -> None:
    bucket = new_swift_bucket(swift)

    found = findings(tmp_path, environ_of_swift(swift, bucket))

    assert {one.state for one in found.values()} == {"ok"}, found
    assert set(found) >= {
        *("objects", "listing", "ranges", "signed-writes", "signatures", "bound"),
        *("expiry", "signed-ranges", "copies", "cross-origin", "clock", "parts"),
        "copy-headers",
    }
    assert "HV_UPLOADS__DIRECT=auto" in found["bound"].found
    assert "copies nothing" in found["copy-headers"].found
    assert "path style" in found["address"].found
    assert swift.removeprefix("http://") in found["address"].found


def test_a_store_that_refuses_checksums_is_offered_requests_without(
    imitation: str, tmp_path: Path
) -> None:
    with faulty_store(imitation) as proxy:
        proxy.takes_no_checksums = True
        environ = dict(environ_of_bucket(proxy.url, new_bucket(imitation)))
        setting = "HV_STORAGE__OPTIONS__CONFIG_KWARGS__REQUEST_CHECKSUM_CALCULATION"

        refused = findings(tmp_path / "one", environ)["objects"]
        assert refused.state == "broken"
        assert "(InvalidArgument)" in refused.found
        assert "It says: Not by you." in refused.found
        assert f"{setting}=when_required" in (refused.fix or "")

        taken = findings(tmp_path / "other", {**environ, setting: "when_required"})
        assert taken["objects"].state == "ok"


def test_nothing_of_it_stays_in_the_bucket(swift: str, tmp_path: Path) -> None:
    bucket = new_swift_bucket(swift)

    findings(tmp_path, environ_of_swift(swift, bucket))

    assert "Contents" not in swift_client(swift).list_objects_v2(Bucket=bucket)


def test_a_store_that_checks_nothing_is_told(
    imitation: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hvcore_checks.signed_probe.EXPIRES_WITHIN_S", 0.0)

    found = findings(tmp_path, environ_of_bucket(imitation, new_bucket(imitation)))

    assert found["signatures"].state == "broken"
    assert found["expiry"].state == "broken"
    assert found["bound"].state == "warning"
    assert "another type and another length" in found["bound"].found
    assert "HV_UPLOADS__DIRECT=off" in found["bound"].fix


def test_a_store_that_copies_for_senders_is_broken(
    imitation: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hvcore_checks.signed_probe.EXPIRES_WITHIN_S", 0.0)
    bucket = new_bucket(imitation)

    found = findings(tmp_path, environ_of_bucket(imitation, bucket))["copy-headers"]

    assert found.state == "broken"
    assert "x-amz-copy-source is obeyed" in found.found
    assert "objects and parts" in found.found
    assert "HV_UPLOADS__DIRECT=off" in found.fix
    assert "Contents" not in s3_client(imitation).list_objects_v2(Bucket=bucket)


def test_pages_that_may_not_send_are_told_with_their_origin(
    swift: str, tmp_path: Path
) -> None:
    bucket = new_swift_bucket(swift)
    with faulty_store(swift) as store:
        store.strikes = refuse_preflights
        environ = {
            **environ_of_swift(store.url, bucket),
            "HV_PUBLIC__CORS_ORIGINS": "https://app.example.com",
        }
        found = findings(tmp_path, environ)

    assert found["cross-origin"].state == "warning"
    assert "https://app.example.com may not" in found["cross-origin"].found
    assert "PUT with content-type, GET with range" in found["cross-origin"].found


def test_a_wrong_secret_is_told_with_what_to_check(swift: str, tmp_path: Path) -> None:
    bucket = new_swift_bucket(swift)
    environ = {
        **environ_of_swift(swift, bucket),
        "HV_STORAGE__OPTIONS__SECRET": "wrong-and-never-shown",
    }

    found = findings(tmp_path, environ)

    assert list(found) == ["objects"]
    assert found["objects"].state == "broken"
    assert "ADDRESSING_STYLE=path" in found["objects"].fix
    assert "wrong-and-never-shown" not in str(found)


def test_a_folder_has_no_signed_addresses(tmp_path: Path) -> None:
    found = findings(tmp_path, {})

    assert list(found) == ["objects", "listing", "ranges", "signed-writes"]
    assert {one.state for one in found.values()} == {"ok"}
    assert "through the service" in found["signed-writes"].found


def test_a_clock_that_is_wrong_is_told(
    swift: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bucket = new_swift_bucket(swift)
    monkeypatch.setattr("hvcore_checks.signed_probe.CLOCK_S", -1.0)

    found = findings(tmp_path, environ_of_swift(swift, bucket))

    assert found["clock"].state == "warning"
    assert "NTP" in found["clock"].fix


@pytest.mark.services
@pytest.mark.long
def test_azure_is_fine_but_binds_nothing(azure_store: str, tmp_path: Path) -> None:
    container = new_container(azure_store)

    found = findings(tmp_path, environ_of_azure(azure_store, container))

    # Azurite, like Azure, lets pages of other sites in only where a rule says so.
    assert {one.check for one in found.values() if one.state != "ok"} == {
        *("bound", "cross-origin"),
    }, found
    assert {one.state for one in found.values()} == {"ok", "warning"}
    assert set(found) >= {"signatures", "expiry", "signed-ranges", "copies", "parts"}
    assert "through the service" in found["bound"].found
    # The header of Azure's names an address, which must be signed by itself.
    assert "copy-headers" not in found
    assert blob_names(azure_store, container, "") == []


def test_google_is_fine(google_store: str, tmp_path: Path) -> None:
    bucket = new_google_bucket(google_store)

    found = findings(tmp_path, environ_of_google(tmp_path, google_store, bucket))

    assert {one.state for one in found.values()} == {"ok"}, found
    assert set(found) >= {"signatures", "bound", "expiry", "signed-ranges", "copies"}
    assert "copies nothing" in found["copy-headers"].found
    assert "parts" not in found
