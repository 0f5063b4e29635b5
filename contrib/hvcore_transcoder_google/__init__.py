"""Videos made by Google's Transcoder API."""
