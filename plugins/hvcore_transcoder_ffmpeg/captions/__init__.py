"""Write the captions of a source as WebVTT."""
