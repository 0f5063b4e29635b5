"""Count uploads in the metrics, once their bytes have all arrived."""

from collections.abc import Iterator
from contextlib import contextmanager

from hvcore.errors import HvError, UnavailableError
from hvcore.metrics.declared import UPLOAD_BYTES, UPLOADS


@contextmanager
def measured_upload(size_bytes: int) -> Iterator[None]:
    """Count the upload that the ``with`` block stores as stored, refused or failed."""
    outcome = "failed"
    try:
        yield
        outcome = "stored"
    except UnavailableError:
        raise
    except HvError:
        outcome = "refused"
        raise
    finally:
        count_upload(outcome, size_bytes)


def count_upload(outcome: str, size_bytes: int = 0) -> None:
    """Count one upload in the metrics under an outcome, and its bytes if it was stored."""
    UPLOADS.add(outcome)
    if outcome == "stored":
        UPLOAD_BYTES.add(amount=size_bytes)
