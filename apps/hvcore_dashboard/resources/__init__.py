"""Resources that answer at the addresses of the dashboard's pages."""
