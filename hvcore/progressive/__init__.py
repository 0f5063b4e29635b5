"""
Makes one MP4 file of published segments: its head, which tells where each sample is.

The segments follow the head as they are; see decision 125.
"""
