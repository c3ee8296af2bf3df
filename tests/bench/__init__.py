"""How fast each scheme is, beside attention without position and beside its peers: `python -m tests.bench --help`."""
