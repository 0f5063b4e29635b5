"""Checks of an installation of the service, for ``hv doctor`` and the dashboard."""
