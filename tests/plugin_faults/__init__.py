"""
Broken plugins, and what operators are told of them.
"""
