"""
Read the events that object stores send when an object was created.

Source: "Event message structure" (S3), "Amazon S3 event messages" (EventBridge), "Event
notifications" (R2), "bucket notifications" (MinIO), each of its vendor's documentation.
"""

from collections.abc import Collection, Iterator, Mapping
from typing import Any, Final
from urllib.parse import unquote_plus

from hvcore.errors import HvcoreError, InvalidParametersError
from hvcore_web.json_media import parse_json

_MADE_BY_S3: Final = ("ObjectCreated:", "s3:ObjectCreated:")
"""The beginnings of the names of S3's events about new objects; MinIO writes ``s3:`` before
the name."""
_MADE_IN_R2: Final = frozenset({"PutObject", "CompleteMultipartUpload", "CopyObject"})


class UnreadableEventError(HvcoreError):
    """A message is not an event of an object store; the text says why, without the message."""


def new_objects(data: bytes) -> Collection[str]:
    """
    Return the objects whose creation a message reports, each as ``bucket/key``.

    Accepted are events of S3, R2 and MinIO, the form that EventBridge gives them, and each of
    these in the envelope in which SNS puts it into a queue. Broken records are left out.

    Raises:
        UnreadableEventError: The message is not an event of an object store.
    """
    event = _read(data)
    if event.get("Type") == "Notification" and isinstance(event.get("Message"), str):
        event = _read(event["Message"].encode())
    return list(dict.fromkeys(_objects(event)))


def _read(data: bytes) -> Mapping[str, Any]:
    try:
        event = parse_json(data)
    except InvalidParametersError as exc:
        raise UnreadableEventError("It is not JSON as it should be.") from exc
    if not isinstance(event, dict):
        raise UnreadableEventError("It is not a JSON object.")
    return event


def _objects(event: Mapping[str, Any]) -> Iterator[str]:
    if isinstance(event.get("Records"), list):
        yield from _objects_of_s3(event["Records"])
    elif isinstance(event.get("detail"), dict):
        if event.get("detail-type") == "Object Created":
            yield from _object_of(event["detail"])
    elif isinstance(event.get("action"), str):
        if event["action"] in _MADE_IN_R2:
            bucket = {"name": event.get("bucket")}
            yield from _object_of({"bucket": bucket, "object": event.get("object")})
    # Which S3 sends once, when it is told where its events go.
    elif event.get("Event") != "s3:TestEvent":
        raise UnreadableEventError("It is no event of a store that is known.")


def _objects_of_s3(records: list[Any]) -> Iterator[str]:
    for record in records:
        if not isinstance(record, dict) or not isinstance(record.get("s3"), dict):
            continue
        if str(record.get("eventName", "")).startswith(_MADE_BY_S3):
            # As in a form: "+" is a space.
            yield from _object_of(record["s3"], is_quoted=True)


def _object_of(found: Mapping[str, Any], *, is_quoted: bool = False) -> Iterator[str]:
    bucket, made = found.get("bucket"), found.get("object")
    if not isinstance(bucket, dict) or not isinstance(made, dict):
        return
    name, key = bucket.get("name"), made.get("key")
    if isinstance(name, str) and isinstance(key, str):
        # What is no UTF-8 is no key of ours, and stays unlike one.
        yield f"{name}/{unquote_plus(key) if is_quoted else key}"
