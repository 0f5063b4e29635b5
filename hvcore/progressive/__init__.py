"""
Make the head of one MP4 file (a download) that consists of a video's published segments.

The head tells where each sample is; the segments follow it unchanged. See docs/decisions/0125.
"""
