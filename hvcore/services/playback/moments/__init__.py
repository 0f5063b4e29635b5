"""Pictures at a moment of a video, and moving ones, made of the published segments."""
