"""The HTTP server: gunicorn workers that slow clients cannot block."""
