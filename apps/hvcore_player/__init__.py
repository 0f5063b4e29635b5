"""The player: a page that plays one video, made to be embedded."""
