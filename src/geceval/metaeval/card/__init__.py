"""Cards of metrics: all that is known about one, on a page."""
