"""Processes of the service: each alone, or all of a machine under one supervisor."""
