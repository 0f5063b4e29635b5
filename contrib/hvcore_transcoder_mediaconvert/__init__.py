"""Ladders made by AWS Elemental MediaConvert: what its jobs say, and what its errors mean."""
