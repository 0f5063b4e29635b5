"""
Signed upload addresses.
"""

from datetime import timedelta
from urllib.parse import parse_qs, urlsplit

import pytest

from hvcore.domain.ids import GrantId
from hvcore.errors import ConfigError, ForbiddenError
from hvcore.signing.upload_addresses import UploadSigner
from tests.support.media_samples import MOMENT

GRANT = GrantId("up_" + "a" * 22)
NOW = int(MOMENT.timestamp())
SIGNER = UploadSigner(b"0123456789abcdef" * 2)


def signed(expires_unix: int = NOW + 3600) -> tuple[str, str]:
    query = parse_qs(urlsplit(SIGNER.sign(GRANT, expires_unix, MOMENT)).query)
    return query["expires"][0], query["signature"][0]


def test_an_address_has_the_documented_form() -> None:
    expires, signature = signed()

    assert SIGNER.sign(GRANT, NOW + 3600, MOMENT) == (
        f"/upload/{GRANT}?expires={expires}&signature={signature}"
    )
    assert expires == str(NOW + 3600)
    assert len(signature) == 64


def test_a_signed_address_names_its_grant() -> None:
    expires, signature = signed()

    found = SIGNER.verify(GRANT, expires=expires, signature=signature, now=MOMENT)

    assert found == GRANT


def test_an_address_ends_at_its_second() -> None:
    expires, signature = signed(NOW + 1)

    SIGNER.verify(GRANT, expires=expires, signature=signature, now=MOMENT)
    with pytest.raises(ForbiddenError, match="not valid any more"):
        SIGNER.verify(
            GRANT,
            expires=expires,
            signature=signature,
            now=MOMENT + timedelta(seconds=1),
        )


def test_any_change_is_noticed() -> None:
    expires, signature = signed()
    changes = [
        {"expires": str(NOW + 9999)},
        {"expires": "0" + expires},
        {"expires": expires + " "},
        {"expires": "٣" * 10},
        {"expires": ""},
        {"expires": "1e99"},
        {"signature": ""},
        {"signature": signature[:-1]},
        {"signature": signature.upper()},
        {"signature": "é" * 64},
        {"signature": "\ud800"},
        {"signature": "0" * 64},
    ]

    for change in changes:
        sent = {"expires": expires, "signature": signature, **change}
        with pytest.raises(ForbiddenError, match="not valid any more"):
            SIGNER.verify(GRANT, now=MOMENT, **sent)
    with pytest.raises(ForbiddenError, match="not valid any more"):
        SIGNER.verify("up_other", expires=expires, signature=signature, now=MOMENT)


def test_a_signature_is_of_one_key() -> None:
    expires, signature = signed()
    other = UploadSigner(b"fedcba9876543210" * 2)

    with pytest.raises(ForbiddenError, match="not valid any more"):
        other.verify(GRANT, expires=expires, signature=signature, now=MOMENT)


def test_grant_and_expiry_cannot_be_shifted_into_one_another() -> None:
    a = SIGNER.sign(GrantId("up_1"), 23, MOMENT)
    b = SIGNER.sign(GrantId("up_12"), 3, MOMENT)

    assert a.rsplit("=", 1)[1] != b.rsplit("=", 1)[1]


def test_a_short_key_is_refused() -> None:
    with pytest.raises(ConfigError, match="at least 32 bytes"):
        UploadSigner(b"a" * 31)


def test_the_address_of_a_resumable_upload_is_good_for_itself_alone() -> None:
    other = "up_" + "b" * 22
    path, _, signature = SIGNER.sign_resumable(GRANT, MOMENT).partition("?signature=")
    _, once = signed()

    assert path == f"/uploads/{GRANT}"
    found = SIGNER.verify_resumable(GRANT, signature=signature, now=MOMENT)
    assert found == GRANT
    for named, sent in ((other, signature), (GRANT, once), (GRANT, ""), ("", "")):
        with pytest.raises(ForbiddenError, match="not valid any more"):
            SIGNER.verify_resumable(named, signature=sent, now=MOMENT)
