"""Find ffmpeg and ffprobe on this machine, and try out their features."""
