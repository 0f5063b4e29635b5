"""
Copy the files that remote services wrote to the store to a video's place there.

Several objects are copied at a time, and each only once: a new attempt goes on where the
last one ended.
"""

from collections import deque
from collections.abc import Callable, Iterable, Mapping
from threading import Thread
from typing import Final

import attrs

from hvcore.domain.processing.transcoding import StoredObject, TranscodeError
from hvcore.ports.storage import ObjectInfo, ObjectNotFoundError, Storage, SupportsCopy
from hvcore.services.processing.attempt_files import FILE_MISSING, content_type

AT_ONCE: Final = 8
"""Of one part. A copy takes a store some 50 ms, and 16 parts may be taken over by a
worker at a time."""
_LOOKS_EVERY_S: Final = 0.5


@attrs.frozen(kw_only=True)
class StoredCopies:
    """Copy objects within the storage, by the store's own copy operation where it has one."""

    storage: Storage

    def take_over(
        self,
        objects: Iterable[StoredObject],
        *,
        made_in: str,
        target: str,
        check: Callable[[], None],
    ) -> None:
        """
        Copy objects from one storage prefix to another, except those that were copied before.

        Args:
            made_in: The prefix from which they are copied.
            target: The prefix to which they are copied.
            check: Called before each copy and twice a second; an exception that it raises ends
                the copying.

        Raises:
            TranscodeError: An object is missing, or is not below the prefix.
            StorageRefusedError: The storage does not permit it.
            UnavailableError: The storage does not answer.
        """
        made, there = self._found(made_in), self._found(target)
        missing = [
            one
            for one in objects
            if not _is_copy(there.get(one.name), made.get(one.made_as))
        ]

        def copy(one: StoredObject) -> None:
            check()
            self._copy(f"{made_in}/{one.made_as}", f"{target}/{one.name}")

        _for_each(missing, copy, check)

    def _found(self, prefix: str) -> Mapping[str, ObjectInfo]:
        """Return the objects below a prefix, by the path there."""
        infos = self.storage.walk(prefix)
        return {info.path.removeprefix(f"{prefix}/"): info for info in infos}

    def _copy(self, source: str, path: str) -> None:
        type_ = content_type(path)
        try:
            if isinstance(self.storage, SupportsCopy):
                self.storage.copy(source, path, content_type=type_)
                return
            with self.storage.open(source) as file:
                self.storage.write(path, file, content_type=type_)
        except ObjectNotFoundError as exc:
            raise TranscodeError(FILE_MISSING, log=f"no {source}") from exc
        except ValueError as exc:
            raise TranscodeError(FILE_MISSING, log=str(exc)) from exc


def _for_each(
    objects: Iterable[StoredObject],
    do: Callable[[StoredObject], None],
    check: Callable[[], None],
) -> None:
    """Do something to objects, several at a time, until one of them fails."""
    left, failures = deque(objects), list[BaseException]()

    def work() -> None:
        while not failures:
            try:
                one = left.popleft()
            except IndexError:
                return
            try:
                do(one)
            except BaseException as error:  # noqa: BLE001 - raised by who waits
                failures.append(error)

    # Daemons: a process that is to end does not wait for a store that hangs.
    threads = [
        Thread(target=work, name="copies", daemon=True)
        for _ in range(min(AT_ONCE, len(left)))
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        while thread.is_alive():
            check()
            thread.join(_LOOKS_EVERY_S)
    if failures:
        raise failures[0]


def _is_copy(there: ObjectInfo | None, made: ObjectInfo | None) -> bool:
    """Return whether an object is a whole copy of another one."""
    if there is None or made is None or there.size_bytes != made.size_bytes:
        return False
    # Both times are the store's. A tag alone cannot tell: Google and Azure give each
    # writing another one, and so does S3 for parts and for keys of its own (KMS).
    is_newer = there.modified_at >= made.modified_at
    return is_newer or (there.tag is not None and there.tag == made.tag)
