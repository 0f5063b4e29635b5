"""
Contracts: migrations after the last process of an older version has ended.

One module per migration, ``contract_0001`` and so on, in a chain of their own. Versions
beside this folder only add; see docs/decisions/0116.
"""
