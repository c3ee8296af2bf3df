"""What the notebooks use: checks, pictures, the table of contents and the check of the machine."""
