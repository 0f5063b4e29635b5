"""Checks of an installation, for the command line and the dashboard."""
