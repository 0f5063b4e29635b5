"""Store and search what is said in videos, by their captions."""
