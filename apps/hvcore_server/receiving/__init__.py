"""Receive HTTP requests and their bodies, or refuse them."""
