"""Reports: computed once, saved as a results file, rendered as one page."""
