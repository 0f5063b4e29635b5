"""Store and search the spoken texts of videos: the text of their captions."""
