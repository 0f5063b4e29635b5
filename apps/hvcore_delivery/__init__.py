"""The delivery worker: playlists, segments and thumbnails."""
