"""MaxMatch: the best path of edits through the lattice of all shortest paths."""
