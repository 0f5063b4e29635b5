"""
What plugins add to the API.
"""
