"""Commands about organizations: keys, quotas, members, sessions, and the audit log."""
