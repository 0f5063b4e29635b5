"""Make the pictures and the sound of a video, and measure what was made."""
