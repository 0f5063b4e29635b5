"""The commands of ``hv`` that people call, by subject."""
