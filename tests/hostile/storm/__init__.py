"""
All attacks at once, and a neighbour who notices nothing of them.
"""
