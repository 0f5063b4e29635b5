"""
The service on several hosts, which fail one by one.
"""
