"""
How the tests enter a store.
"""

from hvcore_storage_obstore.options import ObstoreOptions


def s3_options(url: str, *, endpoint: str) -> ObstoreOptions:
    """
    Name a bucket of Swift.
    """
    # Its clients take a second to import, which files do without.
    from tests.support.stores.object_store import SWIFT_KEY, SWIFT_SECRET  # noqa: PLC0415

    return ObstoreOptions(
        url=url,
        endpoint=endpoint,
        region="us-east-1",
        key=SWIFT_KEY,
        secret=SWIFT_SECRET,
    )
