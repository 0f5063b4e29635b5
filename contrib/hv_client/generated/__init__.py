"""
What follows from the description of the API.

Written by hv_client_generator; do not change it by hand.
"""
