"""
One client misbehaves, and all others are served as if it were not there.
"""
