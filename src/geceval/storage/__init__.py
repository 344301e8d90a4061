"""Files on disk: atomic output, resumable files, caches and their folder."""
