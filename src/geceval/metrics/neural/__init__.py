"""Metrics that ask a neural model: the arithmetic is here, the model is the user's.

Models come from a path or an address that the user gives; nothing is ever downloaded.
"""
