"""
Record each served video segment in append-only files (the spool), one file for each process.

A line records one served segment, or an event such as an ignored request. It is written with one
``write`` to a file that only grows: that costs microseconds, needs no network, and the line
survives if the process is killed the next moment; a power cut may lose the last seconds. A process
holds a lock on its file while it lives: if a reader can take the lock, the file is
complete. Folder and locks need a local file system.
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
