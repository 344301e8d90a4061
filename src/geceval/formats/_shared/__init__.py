"""Code shared by several readers."""
