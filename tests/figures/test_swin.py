"""Swin's two pictures: table rows and pieces of every frame are those of the reference."""

import numpy as np
import pytest

from course_kit import figures
from course_lib.reference.window import partition, shift_mask, window_index

from .test_frames import frames, texts


def test_every_patch_shows_its_row_and_the_table_is_coloured_where_the_query_reads_it():
    for (size, query), ((patches, table), _) in frames(figures.window_index()).items():
        window = size + 2
        query = min(query, window**2 - 1)
        read = window_index(window)[query]
        shown = [text.split("\n")[1] for line in texts(patches) for text in line]
        assert shown == [f"{k} query" if p == query else str(k) for p, k in enumerate(read)]
        assert texts(table) == np.arange((2 * window - 1) ** 2).astype(str).reshape(2 * window - 1, -1).tolist()
        coloured = [cell[0] for line in table[3] for cell in line if cell[2] != "background-color:#dfe3e8"]
        assert coloured == read.astype(str).tolist()


def test_a_piece_in_a_window_is_what_the_mask_lets_through():
    for (size, shift), ((image, rolled), words) in frames(figures.shifted_windows()).items():
        window, n = size + 2, 2 * size + 4
        shift = min(shift, window - 1)
        number, piece = np.moveaxis(np.array([[text.split() for text in line] for line in texts(rolled)]), -1, 0)
        assert (number.astype(int) == np.roll(np.arange(n**2).reshape(n, n), (-shift, -shift), (0, 1))).all()
        windows, mask = partition(piece[..., None], window)[..., 0], shift_mask(n, n, window, shift)
        assert ((windows[:, :, None] == windows[:, None, :]) == mask).all()
        assert words.startswith(f"{mask.sum()} of {mask.size} pairs")
        assert np.array_equal(np.sort(texts(image), None), np.sort(texts(rolled), None))


@pytest.mark.parametrize(
    "call, message",
    [
        (lambda: figures.window_index(5), r"window=5: expected one of the stops \[2, 3, 4\]"),
        (lambda: figures.window_index(2, 4), "query=4: expected a whole number from 0 to 3"),
        (lambda: figures.shifted_windows(2, 2), "shift=2: expected a whole number from 0 to 1"),
    ],
)
def test_what_they_cannot_show_they_refuse(call, message):
    with pytest.raises(ValueError, match=message):
        call()
