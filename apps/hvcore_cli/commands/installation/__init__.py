"""Commands about this installation: its settings, checks and systemd units."""
