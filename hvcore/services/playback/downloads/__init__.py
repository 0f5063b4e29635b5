"""Files of a video to take away: renditions joined into one file, and the source."""
