"""The report: everything computed once, kept as a results file, shown as one page."""
