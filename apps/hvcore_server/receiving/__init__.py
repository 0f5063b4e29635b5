"""Receive requests and their bodies, or refuse them."""
