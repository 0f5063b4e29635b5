"""The transcoder backend ``google``: Google's Transcoder API encodes the videos."""
