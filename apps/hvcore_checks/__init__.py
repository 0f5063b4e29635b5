"""What an installation needs, and how it is doing: for the command line and the dashboard."""
