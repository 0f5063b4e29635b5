"""
One module per migration.
"""
