"""
Contracts: migrations that run after the last process of an older version has ended.

One module per migration, ``contract_0001`` and so on, in a chain of their own. The
migrations of the folder ``versions`` only add; see docs/decisions/0116.
"""
