"""
Measure the uploads whose bytes have all arrived.
"""

from collections.abc import Iterator
from contextlib import contextmanager

from hvcore.errors import HvError, UnavailableError
from hvcore.metrics.declared import UPLOAD_BYTES, UPLOADS


@contextmanager
def measured_upload(size_bytes: int) -> Iterator[None]:
    """
    Count how the block ends, which stores an upload.
    """
    outcome = "failed"
    try:
        yield
        outcome = "stored"
        UPLOAD_BYTES.add(amount=size_bytes)
    except UnavailableError:
        raise
    except HvError:
        outcome = "refused"
        raise
    finally:
        UPLOADS.add(outcome)
