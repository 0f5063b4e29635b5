"""The app with the player: a web page that plays one video, to be embedded in other pages."""
