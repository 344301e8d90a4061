"""I-measure: the best reference out of a lattice, by Dinkelbach's method."""
