"""For tasks whose answer is a scheme's hook: what stands for its module, the library's offsets, cases by offset."""

from typing import Any

import numpy as np

from course_lib.checking import Axis, Case


class StandIn:
    """Stands for the module that a hook belongs to: numbers by name, each a tensor with one for every head.

    `given` has the numbers themselves; torch is imported when a check asks for a tensor.
    """

    def __init__(self, name: str, **given: Any) -> None:
        self.name, self.given = name, {what: tuple(numbers) for what, numbers in given.items()}

    def __getattr__(self, what: str) -> Any:
        if what not in self.__dict__.get("given", ()):
            has = ", ".join(f"`{name}`" for name in self.__dict__.get("given", ()))
            raise AttributeError(f"the module has {has}, no `{what}`")
        import torch

        tensor = torch.tensor(self.given[what], dtype=torch.double)
        setattr(self, what, tensor)
        return tensor

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        """The numbers as they are now: the check looks whether a hook has written into them."""
        return np.asarray([vars(self).get(what, numbers) for what, numbers in self.given.items()])

    def __repr__(self) -> str:
        return f"{self.name}({', '.join(f'{what}={list(numbers)}' for what, numbers in self.given.items())})"


def row_offsets(*sizes: Any) -> Any:
    """The library's, by the name it has in the first cell; torch is imported when a check needs it."""
    from course_lib.nn.grid import row_offsets

    return row_offsets(*sizes)


def case(module: Any, n_q: int, n_k: int, past: int, *, label: str) -> Case:
    """One call of a hook, the columns of whose answer are called by their offsets."""
    offsets = [f"{r}".replace("-", "−") for r in range(-(past + n_q - 1), n_k - past)]
    return Case(module, n_q, n_k, past, label=label, axes=["head", Axis("offset", offsets)])
