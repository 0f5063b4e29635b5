"""
Fields of requests with wishes for captions by machine.
"""

import pytest

from hvcore.domain.videos.caption_jobs import MAX_WISHES
from hvcore.wire.kinds import FieldRefusedError
from hvcore.wire.videos.caption_wishes import CaptionsWanted


@pytest.mark.parametrize(
    ("value", "wishes"),
    [
        (True, ("auto",)),
        (False, ()),
        ([], ()),
        (["EN", "auto", "en"], ("en", "auto")),
    ],
)
def test_wishes_for_captions_are_true_false_or_languages(
    value: object, wishes: tuple[str, ...]
) -> None:
    assert CaptionsWanted().from_json(value) == wishes


@pytest.mark.parametrize(
    ("text", "wishes"),
    [("true", ("auto",)), ("false", ()), ("de", ("de",)), ("de, auto", ("de", "auto"))],
)
def test_wishes_for_captions_are_read_from_headers(
    text: str, wishes: tuple[str, ...]
) -> None:
    assert CaptionsWanted().from_text(text) == wishes


@pytest.mark.parametrize(
    ("value", "status"),
    [
        ("en", 422),
        (1, 422),
        (("en",), 422),
        ({"en": 1}, 422),
        ([1], 422),
        ([True], 422),
        (["en-US"], 400),
        (["en"] * (MAX_WISHES + 1), 400),
    ],
)
def test_other_wishes_for_captions_are_refused(value: object, status: int) -> None:
    with pytest.raises(FieldRefusedError) as raised:
        CaptionsWanted().from_json(value)

    assert raised.value.status == status
