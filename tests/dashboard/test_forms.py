"""
What forms send.
"""

import falcon
import pytest
from falcon.testing import create_req

from hvcore.errors import (
    FieldError,
    InvalidParametersError,
    PayloadTooLargeError,
    QuotaExceededError,
)
from hvcore_dashboard.forms import Form, form_with, read_form

URLENCODED = "application/x-www-form-urlencoded"
BOUNDARY = "----b"
PARTS = (
    '------b\r\nContent-Disposition: form-data; name="language"\r\n\r\nde\r\n'
    '------b\r\nContent-Disposition: form-data; name="file"; filename="a b.vtt"\r\n'
    "Content-Type: text/vtt\r\n\r\nWEBVTT\r\n\r\n------b--\r\n"
)


def sent(body: str, content_type: str = URLENCODED, **options: int) -> Form:
    request: falcon.Request = create_req(
        method="POST",
        headers={"Content-Type": content_type},
        body=body,
    )
    return read_form(request, **options)


def test_fields_are_texts_in_order() -> None:
    form = sent("name=+a+%C3%A4+&video=1&video=2&empty=")

    assert form.text("name") == "a ä"
    assert form.texts("video") == ["1", "2"]
    assert form.text("empty") == form.text("missing") == ""
    assert form.is_checked("video")
    assert not form.is_checked("missing")
    assert form.given("name", "empty", "missing") == {"name": "a ä"}


def test_files_come_with_fields() -> None:
    form = sent(PARTS, f"multipart/form-data; boundary={BOUNDARY}")

    assert form.text("language") == "de"
    file = form.files["file"]
    assert (file.name, file.content_type, file.data) == (
        "a b.vtt",
        "text/vtt",
        b"WEBVTT\r\n",
    )
    assert "WEBVTT" not in repr(file)


@pytest.mark.parametrize(
    ("body", "content_type"),
    [
        ("&".join(f"a{n}=1" for n in range(1001)), URLENCODED),
        (PARTS[:40], f"multipart/form-data; boundary={BOUNDARY}"),
        (PARTS, "multipart/form-data"),
        (PARTS, f"multipart/form-data; boundary={'b' * 200}"),
    ],
    ids=["fields", "cut off", "no boundary", "long boundary"],
)
def test_what_is_no_form_is_refused(body: str, content_type: str) -> None:
    with pytest.raises(InvalidParametersError, match="The form could not be read"):
        sent(body, content_type)


def test_other_bodies_are_empty_forms() -> None:
    assert sent('{"a": 1}', "application/json") == Form()
    assert sent("", "") == Form()


def test_a_form_has_a_largest_size() -> None:
    with pytest.raises(PayloadTooLargeError, match="at most 50"):
        sent("a=" + "x" * 100, max_bytes=50)


def test_a_refused_form_says_it_beside_each_field() -> None:
    form = form_with(name="x")
    error = InvalidParametersError(
        errors=[
            FieldError(message="name must be longer.", location="body.name"),
            FieldError(message="it again", location="body.name"),
            FieldError(message="too old", location="query.expiresAt"),
        ]
    )

    refused = form.refused(error, expiresAt="expires")

    assert refused.errors == {"name": "name must be longer.", "expires": "too old"}
    assert refused.text("name") == "x"


def test_a_refusal_of_no_field_is_of_the_form() -> None:
    refused = Form().refused(QuotaExceededError("There is no room."))

    assert refused.errors == {"": "There is no room."}
