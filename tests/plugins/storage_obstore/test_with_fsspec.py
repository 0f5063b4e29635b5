"""
Who changes the plugin keeps the objects.
"""

import io
import uuid
from pathlib import Path
from typing import Final

import pytest

from hvcore_storage_fsspec.backend import make_storage as make_fsspec_storage
from hvcore_storage_obstore.backend import make_storage
from tests.plugins.storage_obstore.options import s3_options

TYPE: Final = "video/mp4"


@pytest.mark.services
def test_both_have_the_same_objects_at_a_url(swift: str, tmp_path: Path) -> None:
    from tests.support.stores.object_store import new_swift_bucket  # noqa: PLC0415 - see there

    options = s3_options(
        f"s3://{new_swift_bucket(swift)}/{uuid.uuid4().hex}", endpoint=swift
    )
    one = make_storage(options, work_dir=tmp_path)
    args = {"endpoint_url": swift, "key": options.key, "secret": options.secret}
    other = make_fsspec_storage(
        options.url, args=args, min_free_bytes=0, work_dir=tmp_path
    )
    one.write("v/a", io.BytesIO(b"by obstore"), content_type=TYPE)
    other.write("v/b", io.BytesIO(b"by fsspec"), content_type=TYPE)

    for each in (one, other):
        assert {i.path: i.size_bytes for i in each.walk("v")} == {"v/a": 10, "v/b": 9}
    # The type was sent, although obstore does not tell it.
    assert other.stat("v/a").content_type == TYPE
    assert (other.stat("v/a").tag or "").strip('"') == one.stat("v/a").tag
