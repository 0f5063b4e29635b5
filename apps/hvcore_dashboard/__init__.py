"""The dashboard: the pages on which people look after their videos."""
