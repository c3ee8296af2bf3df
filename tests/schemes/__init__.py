"""Every scheme against its definition (definitions.py), against published code, and against numbers known by hand."""
