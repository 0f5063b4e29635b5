"""Still frames at a moment of a video, and animations, made of the published segments."""
