"""Pieces of HTML that read the same in a light and a dark notebook: boxes, numbers, colours, and whole pictures."""
