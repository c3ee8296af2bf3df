"""What the commands of the study read from the command line."""

import argparse
from typing import NoReturn


class Parser(argparse.ArgumentParser):
    """The module of that name, described by what its docstring says below the command; a mistake gets one line."""

    def __init__(self, module: str, description: str) -> None:
        super().__init__(prog=f"python -m {module}", description=description, allow_abbrev=False)

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"{self.prog}: error: {message}\n")  # without the usage, a block that hides it; --help has it
