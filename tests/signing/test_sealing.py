"""
Sealed texts.
"""

import pytest

from hvcore.signing.sealing import SealBrokenError, Sealer


def test_a_text_opens_with_the_secret_and_what_it_is_about() -> None:
    sealed = Sealer("secret").seal("a token ä", about="row 1")

    assert Sealer("secret").open(sealed, about="row 1") == "a token ä"
    assert b"token" not in sealed


def test_no_two_seals_are_alike() -> None:
    sealer = Sealer("secret")

    assert sealer.seal("text", about="x") != sealer.seal("text", about="x")


@pytest.mark.parametrize(
    ("secret", "about", "cut"),
    [
        ("other", "row 1", slice(None)),
        ("secret", "row 2", slice(None)),
        ("secret", "row 1", slice(0, -1)),
        ("secret", "row 1", slice(0, 5)),
        ("secret", "row 1", slice(0, 0)),
    ],
)
def test_anything_else_does_not_open(secret: str, about: str, cut: slice) -> None:
    sealed = Sealer("secret").seal("text", about="row 1")

    with pytest.raises(SealBrokenError, match="secret has changed") as raised:
        Sealer(secret).open(sealed[cut], about=about)

    assert "text" not in str(raised.value).replace("sealed text", "")
