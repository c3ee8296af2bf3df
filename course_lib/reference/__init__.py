"""Every scheme in NumPy float64, one small file each, made to be read beside its equation."""
