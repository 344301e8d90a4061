"""The network of the small English spaCy pipeline."""
