"""The dashboard: web pages on which people manage their videos."""
