"""
Read the boxes of MP4 files, for code that makes files or reads files from strangers.

The conformance checker has a reader of its own (:mod:`hvcore.conformance.boxes`): a
fault of this reader, which also makes the files, must not hide itself from the check.
"""
