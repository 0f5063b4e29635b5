"""Ports: the interfaces through which the core uses databases, storages and the like."""
