"""MAEGE: metrics evaluated on corrections whose order of quality is known."""
