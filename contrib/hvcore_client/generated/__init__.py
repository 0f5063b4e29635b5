"""
What follows from the description of the API.

Written by hvcore_client_generator; do not change it by hand.
"""
