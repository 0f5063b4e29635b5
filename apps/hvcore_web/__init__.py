"""Shared code of the service's web apps: Falcon middleware, error answers, static files and health."""
