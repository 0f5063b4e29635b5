"""Declare the tables of organizations' quotas, and of how much of them is used."""

import sqlalchemy as sa
from sqlalchemy import BigInteger, Column, Float, Table

from hvcore.persistence.tables.columns import ID, Text, metadata

organization_limits = Table(
    "organization_limits",
    metadata,
    Column(
        "org_id", Text, sa.ForeignKey("organizations.id"), primary_key=True, info=ID
    ),
    # None is no limit.
    Column("concurrent_encodes", BigInteger),
    Column("encoded_minutes_per_month", BigInteger),
    Column("stored_bytes", BigInteger),
    Column("delivered_bytes_per_month", BigInteger),
    Column("weight", Float, nullable=False),
    Column("caption_minutes_per_month", BigInteger),
)

organization_storage = Table(
    "organization_storage",
    metadata,
    Column(
        "org_id", Text, sa.ForeignKey("organizations.id"), primary_key=True, info=ID
    ),
    Column("stored_bytes", BigInteger, nullable=False),
)

# Of no organization that must be there: counts may be of another installation.
organization_months = Table(
    "organization_months",
    metadata,
    Column("org_id", Text, primary_key=True, info=ID),
    # Since the year 0; see domain.access.quotas.month_number.
    Column("month", BigInteger, primary_key=True, autoincrement=False),
    Column("encoded_ms", BigInteger, nullable=False),
    Column("delivered_bytes", BigInteger, nullable=False),
    # Of sound in which a machine has heard what is said.
    Column("caption_ms", BigInteger, nullable=False, server_default=sa.text("0")),
)

# How far files with counts are read for delivered_bytes.
delivered_positions = Table(
    "delivered_positions",
    metadata,
    Column("file", Text, primary_key=True, info=ID),
    Column("applied", BigInteger, nullable=False),
)
