"""Downloads of a video: renditions joined into one file, and the source file."""
