"""Jobs: what reads or scores files, in worker processes."""
