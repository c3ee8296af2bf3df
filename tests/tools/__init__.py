"""course.py and tools/, the notebooks and pages that they build, and the tests as a whole."""
