"""An analytics store that keeps counts in Parquet files and queries them with DuckDB."""
