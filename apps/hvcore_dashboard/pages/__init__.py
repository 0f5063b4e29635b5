"""Pages of the dashboard: a package each, of its routes, their resources and forms."""
