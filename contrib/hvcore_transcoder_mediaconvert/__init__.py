"""The transcoder backend ``mediaconvert``: AWS Elemental MediaConvert encodes the videos."""
