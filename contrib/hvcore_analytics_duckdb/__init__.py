"""Analytics in columns: Parquet files, asked through DuckDB."""
