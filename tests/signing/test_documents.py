"""
Signed documents: good as they were signed, by whom they were signed, and not otherwise.
"""

import copy
from typing import Any

import pytest

from hvcore.signing.documents import (
    DocumentSigner,
    SignatureBrokenError,
    check_signed,
)

SIGNER = DocumentSigner("the secret of an installation, of any length")
DOCUMENT: dict[str, object] = {"ä": [1, {"b": None}], "a": "text"}


def test_a_signed_document_is_good_in_any_order_of_its_keys() -> None:
    signed = SIGNER.sign(dict(reversed(DOCUMENT.items())))

    assert check_signed(signed, public_key=SIGNER.public_key) == DOCUMENT


def test_every_process_of_an_installation_signs_alike() -> None:
    again = DocumentSigner("the secret of an installation, of any length")

    assert again.sign(DOCUMENT) == SIGNER.sign(DOCUMENT)


def test_a_changed_document_is_refused() -> None:
    signed: Any = copy.deepcopy(SIGNER.sign(DOCUMENT))
    signed["document"]["a"] = "other"

    with pytest.raises(SignatureBrokenError, match="changed after"):
        check_signed(signed, public_key=SIGNER.public_key)


def test_a_changed_document_with_its_digest_is_refused() -> None:
    signed: Any = copy.deepcopy(SIGNER.sign({"a": "other"}))
    signed["signature"] = SIGNER.sign(DOCUMENT)["signature"]

    with pytest.raises(SignatureBrokenError, match="does not belong"):
        check_signed(signed, public_key=SIGNER.public_key)


def test_what_another_installation_signed_is_refused_unless_its_key_is_named() -> None:
    other = DocumentSigner("another secret")
    signed = other.sign(DOCUMENT)

    with pytest.raises(SignatureBrokenError, match="another key"):
        check_signed(signed, public_key=SIGNER.public_key)
    assert check_signed(signed, public_key=other.public_key) == DOCUMENT


@pytest.mark.parametrize(
    "text",
    [
        *(None, [], "text", {}, {"document": 1}),
        *({**SIGNER.sign(DOCUMENT), "document": one} for one in (None, [], "text", 1)),
        {**SIGNER.sign(DOCUMENT), "signature": None},
        {**SIGNER.sign(DOCUMENT), "signature": {"publicKey": "", "value": "no base64"}},
    ],
)
def test_what_is_no_signed_document_is_refused(text: object) -> None:
    with pytest.raises(SignatureBrokenError, match="no signed document"):
        check_signed(text, public_key=SIGNER.public_key)
