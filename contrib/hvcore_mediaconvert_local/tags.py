"""Carry out the operations on tags of queues, presets, job templates and jobs."""

from hvcore_mediaconvert_local.errors import not_found
from hvcore_mediaconvert_local.job_store import JobStore
from hvcore_mediaconvert_local.wire import JsonObject


class ResourceTags:
    """Carry out MediaConvert's operations on the tags of resources; thread-safe."""

    def __init__(self, store: JobStore) -> None:
        self._store = store

    def list(self, request: JsonObject) -> JsonObject:
        """Carry out MediaConvert's operation ListTagsForResource: return the tags of a resource."""
        arn = request["arn"]
        return {"resourceTags": {"arn": arn, "tags": self._known(arn)}}

    def tag(self, request: JsonObject) -> JsonObject:
        """Carry out MediaConvert's operation TagResource: add tags to a resource."""
        arn = request["arn"]
        with self._store.changing():
            self._store.put("tags", arn, {**self._known(arn), **request["tags"]})
        return {}

    def untag(self, request: JsonObject) -> JsonObject:
        """Carry out MediaConvert's operation UntagResource: remove tags from a resource."""
        arn, gone = request["arn"], set(request.get("tagKeys", ()))
        with self._store.changing():
            left = {k: v for k, v in self._known(arn).items() if k not in gone}
            self._store.put("tags", arn, left)
        return {}

    def _known(self, arn: str) -> JsonObject:
        found = self._store.thing("tags", arn)
        if found is None:
            raise not_found(f"{arn} does not exist")
        return found
