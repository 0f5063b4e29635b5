"""
The headers by which a resumable upload is created.
"""

import base64
from collections.abc import Iterable, Mapping

import pytest

from hvcore.domain.limits import MAX_UPLOAD_BYTES
from hvcore.errors import HvError, InvalidParametersError, PayloadTooLargeError
from hvcore.wire.converter import LateFieldError
from hvcore.wire.uploads.resumable import (
    CreationHeaders,
    ResumableWanted,
    read_creation,
    read_metadata,
)


def base64_of(text: str) -> str:
    return base64.b64encode(text.encode()).decode()


NAMED = f"fileName {base64_of('a.mp4')}"


def no_problems(_given: Mapping[str, object]) -> Iterable[LateFieldError]:
    return ()


def created(
    length: str | None = "5", metadata: str | None = NAMED, defer: str | None = None
) -> ResumableWanted:
    headers = CreationHeaders(length=length, metadata=metadata, defer_length=defer)
    return read_creation(headers, no_problems)


def problems(**headers: str | None) -> list[tuple[str, str]]:
    with pytest.raises(HvError) as caught:
        created(**headers)
    return [(item.location, item.message) for item in caught.value.errors]


def test_the_headers_describe_the_file() -> None:
    wanted = created()

    assert wanted.file.file_name == "a.mp4"
    assert wanted.file.size_bytes == 5
    assert wanted.file.tus_metadata == NAMED


@pytest.mark.parametrize(
    ("header", "fields"),
    [
        ("", {}),
        (" \t", {}),
        (f"filename {base64_of('a')}", {"fileName": "a"}),
        (f"filetype {base64_of('video/mp4')}", {"contentType": "video/mp4"}),
        (f"filename {base64_of('a')},fileName {base64_of('b')}", {"fileName": "b"}),
        ("filename", {}),
        (f"x {base64_of('ü')},y, z {base64_of('2')} ", {"x": "ü", "y": "", "z": "2"}),
        (f"{'n' * 64} {base64_of('1')}", {"n" * 64: "1"}),
        (f"{'n' * 65} {base64_of('1')}", None),
        ("x 1", None),
        (f"x {base64.b64encode(bytes([255])).decode()}", None),
        ("x,", None),
        ("ü", None),
    ],
)
def test_metadata_are_pairs_of_a_name_and_a_text(
    header: str, fields: dict[str, str] | None
) -> None:
    if fields is not None:
        assert read_metadata(header) == fields
        return
    with pytest.raises(InvalidParametersError, match="Upload-Metadata must") as caught:
        read_metadata(header)
    (item,) = caught.value.errors
    assert (caught.value.http_status, item.location) == (422, "header.Upload-Metadata")
    assert item.value in header.split(",") + header.split()


def test_a_field_of_metadata_is_named_once() -> None:
    with pytest.raises(InvalidParametersError, match="name each field once") as caught:
        read_metadata("x,y,x")
    assert caught.value.http_status == 400
    assert [item.value for item in caught.value.errors] == ["x"]


def test_a_length_is_needed_and_is_the_one_of_the_metadata() -> None:
    same = f"{NAMED},fileSize {base64_of('5')}"
    other = f"{NAMED},fileSize {base64_of('6')}"

    assert created(metadata=same).file.size_bytes == 5
    assert problems(metadata=other) == [
        ("header.Upload-Length", "fileSize must be the same as Upload-Length.")
    ]
    for metadata in (NAMED, same):
        told = problems(length=None, metadata=metadata)
        assert told == [
            ("header.Upload-Length", "fileSize is required; send Upload-Length.")
        ]
    assert ("header.Upload-Metadata", "fileName is required.") in problems(
        metadata=None
    )
    assert problems(defer="1") == [
        (
            "header.Upload-Defer-Length",
            "Upload-Defer-Length is not supported; send Upload-Length.",
        )
    ]


@pytest.mark.parametrize("length", [str(MAX_UPLOAD_BYTES), "1"])
def test_the_largest_upload_is_accepted(length: str) -> None:
    assert created(length=length).file.size_bytes == int(length)


@pytest.mark.parametrize("length", [str(MAX_UPLOAD_BYTES + 1), "9" * 19, "1" * 5000])
def test_a_larger_upload_is_refused_by_its_length(length: str) -> None:
    with pytest.raises(PayloadTooLargeError) as caught:
        created(length=length)

    assert caught.value.headers["Tus-Max-Size"] == str(MAX_UPLOAD_BYTES)
    assert [one.location for one in caught.value.errors] == ["header.Upload-Length"]


@pytest.mark.parametrize("length", ["0", "-5", "5.0", "", "x"])
def test_a_length_that_is_none_is_refused(length: str) -> None:
    assert [place for place, _ in problems(length=length)] == ["header.Upload-Length"]
