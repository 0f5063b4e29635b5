"""
What ships for deployers: the image, the compose file, the chart, the units.
"""
