"""The database: tables, row functions and the ports that they carry out."""
