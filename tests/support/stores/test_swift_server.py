"""Swift in memory: what was changed last counts."""

import http.client
import socket
from contextlib import closing
from urllib.parse import urlsplit

import pytest
from botocore.exceptions import ClientError

from tests.support.stores.object_store import new_swift_bucket, swift_client

pytestmark = pytest.mark.services


@pytest.mark.parametrize("is_there_before", [True, False])
def test_a_removal_that_overtakes_a_write_wins_and_the_bucket_lists_no_object(
    swift: str, *, is_there_before: bool
) -> None:
    bucket, client = new_swift_bucket(swift), swift_client(swift)
    if is_there_before:
        client.put_object(Bucket=bucket, Key="a", Body=b"old")
    url = urlsplit(
        client.generate_presigned_url(
            "put_object",
            {"Bucket": bucket, "Key": "a", "ContentType": "text/plain"},
        )
    )
    with socket.create_connection((str(url.hostname), int(url.port or 0))) as write:
        head = f"PUT {url.path}?{url.query} HTTP/1.1\r\nHost: {url.netloc}\r\n"
        head += "Content-Type: text/plain\r\nContent-Length: 3\r\nExpect: 100-continue\r\n\r\n"
        write.sendall(head.encode())
        # The store has given the write its time once it asks for the bytes.
        assert b" 100 " in write.recv(1000)
        client.delete_object(Bucket=bucket, Key="a")
        write.sendall(b"new")
        with closing(http.client.HTTPResponse(write)) as answer:
            answer.begin()
            assert answer.status == 200

    with pytest.raises(ClientError, match="404"):
        client.head_object(Bucket=bucket, Key="a")
    assert "Contents" not in client.list_objects_v2(Bucket=bucket)
