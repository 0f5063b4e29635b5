"""
Texts, documents, codes and addresses of an earlier version stay good: databases and mails have them.
"""

from datetime import UTC, datetime

from hvcore.domain.ids import GrantId
from hvcore.signing.documents import DocumentSigner
from hvcore.signing.mailed_codes import MailedCodes
from hvcore.signing.sealing import Sealer
from hvcore.signing.upload_addresses import UploadSigner

SECRET = "a secret of the service"
SEALED = "9fb5ab81ab741f8d565d07358dddc7a75572e6b84c9531c7beb815db7d36ec91646884a7c546"
PUBLIC_KEY = "YXFkHnhHAyW78z+evWH5VXdIzQMImc8GGUhWq2hCam4="
SIGNED = (
    "geBKA61nAX/Vbiyc96SzGbzbll22fG0MtE+rY2TOANanrkOfMcNJjWpPwKknXcvy"
    "qdzEOQwyZhvgbfFNJrvkBA=="
)
UPLOAD = "/upload/up_1?expires=1767225660&signature=ca22439ba100c73bc19ec680a49850a310cf5f79ba688012a8f782ed601a4b00"
GRANT = GrantId("up_1")
RESUMABLE = "/uploads/up_1?signature=6bb2a91d11bfbbb89004739df3fdabb73ee1fe84bbfffc3eb4ea5273c2d4beba"


def test_a_text_that_was_sealed_by_an_earlier_version_opens() -> None:
    sealed = bytes.fromhex(SEALED)

    assert Sealer(SECRET).open(sealed, about="row 1") == "a token ä"


def test_a_document_is_signed_as_by_an_earlier_version() -> None:
    signer = DocumentSigner(SECRET)

    assert signer.public_key == PUBLIC_KEY
    assert signer.sign({"ä": 1, "a": None})["signature"] == {
        "algorithm": "Ed25519",
        "publicKey": PUBLIC_KEY,
        "value": SIGNED,
    }


def test_a_mailed_link_of_an_earlier_version_has_the_same_code() -> None:
    code = MailedCodes(SECRET).code("ml_1", "mem_2")

    assert code == "LpAE1bZ8aZNSBCTCInXXp_rk2HVhIhJceUsCQSK2mqY"


def test_an_upload_address_is_signed_as_by_an_earlier_version() -> None:
    signer = UploadSigner(b"k" * 32)
    now = datetime(2026, 1, 1, tzinfo=UTC)

    assert signer.sign(GRANT, int(now.timestamp()) + 60, now) == UPLOAD
    assert signer.sign_resumable(GRANT, now) == RESUMABLE
