"""
What services are made of: chosen, added and given backends.
"""
