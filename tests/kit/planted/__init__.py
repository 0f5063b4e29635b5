"""Faults planted in plugins, each of which breaks a promise that a kit must test."""
