"""Read the MP4 files that ffmpeg has made."""
