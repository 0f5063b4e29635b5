"""Strangers and customers who ask for more captions than is good for others."""
