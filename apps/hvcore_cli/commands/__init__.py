"""The commands of ``hv``, one package for each subject."""
