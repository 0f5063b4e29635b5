"""
Expands: migrations that run while processes of older versions still serve.

One module per migration. A migration that takes something away from an older version, or
asks something new of it, belongs into ``contracts``; see docs/decisions/0116.
"""
