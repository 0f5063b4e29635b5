"""
Writes the clients of the API from its OpenAPI document.

A tool of this repository; no service and no client needs it while it runs.
"""
