"""
Strangers and members who send the forms of the dashboard by programs of their own.
"""
