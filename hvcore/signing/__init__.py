"""Texts and addresses that are signed or sealed with keys of the service."""
