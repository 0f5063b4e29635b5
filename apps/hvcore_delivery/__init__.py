"""The app that delivers playlists, segments and thumbnails of published videos."""
