"""The schemes of `course_lib.reference` in torch, under the same names: made to be run and trained, on CPU or GPU."""
