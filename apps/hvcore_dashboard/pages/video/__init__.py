"""The pages of one video; each tab is a module."""
