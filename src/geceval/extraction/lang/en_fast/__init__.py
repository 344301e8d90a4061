"""The small English spaCy pipeline, run by a compiled kernel. See the README in this folder."""
