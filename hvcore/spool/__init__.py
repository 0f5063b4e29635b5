"""
Append-only files of what was answered: one for each process that serves.

A line is written with one ``write`` to a file that only grows. So it costs
microseconds, needs no network, and survives if the process is killed the next moment;
a power cut may lose the last seconds. While a process lives it holds a lock on its
file. If a reader can take the lock, the file is complete. Folder and locks are meant
for a file system of this machine.
"""

from hvcore.spool.in_doubt import InDoubt
from hvcore.spool.lines import (
    Note,
    SegmentLines,
    encode_all,
    encode_segment,
    encode_taken_back,
)
from hvcore.spool.notes import encode_ignored, encode_seen, encode_unfollowed
from hvcore.spool.reading import (
    READ_BYTES,
    SpoolChunk,
    SpoolFile,
    opened,
    put_aside,
    remove,
    spool_files,
    the_only_reader,
)
from hvcore.spool.writing import (
    MAX_FILE_BYTES,
    MAX_OWED_BYTES,
    Spool,
    make_folder,
)

__all__ = [
    "MAX_FILE_BYTES",
    "MAX_OWED_BYTES",
    "READ_BYTES",
    "InDoubt",
    "Note",
    "SegmentLines",
    "Spool",
    "SpoolChunk",
    "SpoolFile",
    "encode_all",
    "encode_ignored",
    "encode_seen",
    "encode_segment",
    "encode_taken_back",
    "encode_unfollowed",
    "make_folder",
    "opened",
    "put_aside",
    "remove",
    "spool_files",
    "the_only_reader",
]
