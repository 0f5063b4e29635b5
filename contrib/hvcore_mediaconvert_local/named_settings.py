"""Carry out the operations on presets and job templates, which are settings with a name."""

from hvcore_mediaconvert_local.clock import MovableClock
from hvcore_mediaconvert_local.config import LocalMediaConvertConfig
from hvcore_mediaconvert_local.errors import conflict, not_found
from hvcore_mediaconvert_local.job_store import JobStore
from hvcore_mediaconvert_local.listing import page_of
from hvcore_mediaconvert_local.wire import JsonObject


class NamedSettings:
    """
    Carry out the operations on presets, or those on job templates; thread-safe.

    Args:
        kind: The plural in ARNs and in lists: ``presets`` or ``jobTemplates``.
        one: The member of an answer with one entry: ``preset`` or ``jobTemplate``.
    """

    def __init__(
        self,
        kind: str,
        one: str,
        *,
        config: LocalMediaConvertConfig,
        store: JobStore,
        clock: MovableClock,
    ) -> None:
        self._kind = kind
        self._one = one
        self._config = config
        self._store = store
        self._clock = clock

    def create(self, request: JsonObject) -> JsonObject:
        """Carry out CreatePreset or CreateJobTemplate: store new settings with a name, and return them."""
        name = request["name"]
        with self._store.changing():
            if self._store.thing(self._kind, name) is not None:
                raise conflict(f"{name} exists already")
            made = self._put(request)
            self._store.put("tags", made["arn"], request.get("tags", {}))
        return {self._one: made}

    def get(self, request: JsonObject) -> JsonObject:
        """Carry out GetPreset or GetJobTemplate: return the settings with a name."""
        return {self._one: self.known(request["name"])}

    def list(self, request: JsonObject) -> JsonObject:
        """Carry out ListPresets or ListJobTemplates: return a page of settings with names."""
        category = request.get("category")
        found = [
            one
            for one in self._store.things(self._kind)
            if category in {None, one.get("category")}
        ]
        shown, token = page_of(found, request, default="NAME")
        answer: JsonObject = {self._kind: shown}
        return {**answer, "nextToken": token} if token else answer

    def update(self, request: JsonObject) -> JsonObject:
        """Carry out UpdatePreset or UpdateJobTemplate: change the settings with a name, and return them."""
        with self._store.changing():
            return {self._one: self._put({**self.known(request["name"]), **request})}

    def delete(self, request: JsonObject) -> JsonObject:
        """Carry out DeletePreset or DeleteJobTemplate: remove the settings with a name."""
        with self._store.changing():
            found = self.known(request["name"])
            self._store.remove(self._kind, request["name"])
            self._store.remove("tags", found["arn"])
        return {}

    def known(self, name: str) -> JsonObject:
        """
        Return the preset or job template with a name.

        Raises:
            MediaConvertError: No preset or job template has this name.
        """
        name = name.removeprefix(self._config.arn(self._kind, ""))
        found = self._store.thing(self._kind, name)
        if found is None:
            raise not_found(f"{name} is not among the {self._kind}")
        return found

    def _put(self, found: JsonObject) -> JsonObject:
        now = int(self._clock.now_s())
        made = {
            "arn": self._config.arn(self._kind, found["name"]),
            "createdAt": now,
            **{name: value for name, value in found.items() if name != "tags"},
            "lastUpdated": now,
            "type": "CUSTOM",
        }
        self._store.put(self._kind, made["name"], made)
        return made
