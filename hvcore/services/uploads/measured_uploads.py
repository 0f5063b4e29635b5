"""Measure the uploads whose bytes have all arrived, here or at the object store."""

from collections.abc import Iterator
from contextlib import contextmanager

from hvcore.errors import HvError, UnavailableError
from hvcore.metrics.declared import UPLOAD_BYTES, UPLOADS


@contextmanager
def measured_upload(size_bytes: int) -> Iterator[None]:
    """Count the outcome of a block that stores an upload."""
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
    """Count an upload by the outcome of the metric."""
    UPLOADS.add(outcome)
    if outcome == "stored":
        UPLOAD_BYTES.add(amount=size_bytes)
