"""The app of the upload address, which receives the files of videos."""
