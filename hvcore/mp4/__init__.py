"""
Boxes of MP4 files, for all that make files or read what strangers send.

The conformance checker has a reader of its own (:mod:`hvcore.conformance.boxes`): a
fault of this one, which makers use, must not hide itself from the check.
"""
