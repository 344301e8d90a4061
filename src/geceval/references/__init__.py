"""References: groups of edits about one error, missing annotators, and mixed references."""
