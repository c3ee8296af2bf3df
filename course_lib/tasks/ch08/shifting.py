"""Shifted windows: the mask whose slices fell on the wrong axes, and the layer that does not come back."""

import numpy as np

from ...reference.attention import softmax
from ...reference.window import partition, reverse, shift_mask, window_bias
from ..engine import Case, Mistake, Property, Task
from .common import numbers


def _seam_mask(height, width, window, shift):
    """True where a patch may look at another of its rolled window: (windows, W², W²)."""
    region = np.zeros((1, 1, height, width))
    bands = slice(0, -window), slice(-window, -shift), slice(-shift, None)
    label = 0
    for h in bands:
        for w in bands:
            region[:, :, h, w] = label
            label += 1
    region = partition(region.reshape(height, width, 1), window)[..., 0]
    return region[:, :, None] == region[:, None, :]


def _seam_mask_given(height, width, window, shift):
    """True where a patch may look at another of its rolled window: (windows, W², W²)."""
    region = np.zeros((1, 1, height, width))
    bands = slice(0, -window), slice(-window, -shift), slice(-shift, None)
    label = 0
    for h in bands:
        for w in bands:
            region[:, h, w, :] = label
            label += 1
    region = partition(region.reshape(height, width, 1), window)[..., 0]
    return region[:, :, None] == region[:, None, :]


def _four_labels(height, width, window, shift):
    """Which side of each seam is enough, since windows are compared one by one."""
    side = 2 * (np.arange(height) >= height - shift)[:, None] + (np.arange(width) >= width - shift)
    side = partition(side[..., None], window)[..., 0]
    return side[:, :, None] == side[:, None, :]


def _channels_last(height, width, window, shift):
    region = np.zeros((1, height, width, 1))
    for k, h in enumerate((slice(0, -window), slice(-window, -shift), slice(-shift, None))):
        for m, w in enumerate((slice(0, -window), slice(-window, -shift), slice(-shift, None))):
            region[:, h, w, :] = 3 * k + m
    region = partition(region[0], window)[..., 0]
    return region[:, :, None] == region[:, None, :]


def _labelled(label):
    """The mask of regions that label(height, width, window, shift) draws."""

    def wrong(height, width, window, shift):
        region = partition(label(height, width, window, shift)[..., None], window)[..., 0]
        return region[:, :, None] == region[:, None, :]

    return wrong


def _either(height, width, window, shift):
    """True where the row bands agree or the column bands do."""
    bands = np.broadcast_arrays(_at(height, shift)[:, None], _at(width, shift))
    rows, columns = (partition(band[..., None], window)[..., 0] for band in bands)
    return (rows[:, :, None] == rows[:, None]) | (columns[:, :, None] == columns[:, None])


def _at(n, shift):
    return (np.arange(n) >= n - shift).astype(int)


def _from_the_start(n, shift):
    return (np.arange(n) < shift).astype(int)


def _symmetric(result, *_):
    return np.array_equal(np.asarray(result), np.asarray(result).swapaxes(-1, -2))


def _sees_itself(result, *_):
    return np.diagonal(np.asarray(result), axis1=-2, axis2=-1).all()


def _first_sees_all(result, height, width, window, shift):
    return height == window or width == window or np.asarray(result)[0].all()


def _turned_region(height, width, window, shift):
    """Regions laid out as (width, height), then read as (height, width)."""
    region = np.zeros((width, height))
    bands = slice(0, -window), slice(-window, -shift), slice(-shift, None)
    for k, w in enumerate(bands):
        for m, h in enumerate(bands):
            region[w, h] = 3 * k + m
    region = partition(region.reshape(height, width, 1), window)[..., 0]
    return region[:, :, None] == region[:, None, :]


_IMAGE = ("window", "query", "key")
_PUT = "region[:, :, h, w] = label"

seam_mask = Task(
    title="Bug hunt: nine regions on the wrong axes",
    minutes=10,
    difficulty=2,
    words="""Here the regions are laid out as (1, 1, height, width), and filled by a line written for (1, height, width, 1). It runs
without an error: the slices fall on the wrong axes, and no shape complains. Nearly half of what should be hidden is not. Print `region[0, 0]` for a 4 × 4 image with window 2 and shift 1, then mend the line.""",
    solution=_seam_mask,
    given=_seam_mask_given,
    expected=shift_mask,
    cases=[
        Case(4, 4, 2, 1, says="4 × 4 patches, windows of 2 × 2", axes=_IMAGE),
        Case(8, 8, 4, 2, says="8 × 8 patches, windows of 4 × 4", axes=_IMAGE),
        Case(4, 6, 2, 1, says="4 × 6 patches", axes=_IMAGE),
        Case(6, 9, 3, 1, says="6 × 9 patches, shift 1 of 3", axes=_IMAGE),
        Case(9, 6, 3, 2, says="9 × 6 patches, shift 2 of 3", axes=_IMAGE),
        Case(4, 4, 2, 0, says="no shift: nothing is hidden", axes=_IMAGE),
        Case(2, 2, 2, 1, says="one window", axes=_IMAGE),
    ],
    draw=lambda rng: (
        (window := int(rng.integers(2, 5))) * int(rng.integers(1, 4)),
        window * int(rng.integers(1, 4)),
        window,
        int(rng.integers(window)),
    ),
    axes=_IMAGE,
    properties=[
        Property("sees itself", _sees_itself, "A patch may always look at itself."),
        Property("both ways", _symmetric, "If one patch may look at another, the other may look back."),
        Property("the first window", _first_sees_all, "The first window of a larger image lies on no seam: there all see all."),
    ],
    mistakes=[
        Mistake(_PUT, "region[:, h, w, :] = label", "Only the rows are labelled apart, as before: along the columns nothing is hidden. On which axis does w stand, and does `label` count up for each w?"),
        Mistake(_PUT, "region[..., w] = label", "Only the columns are labelled: along the rows nothing is hidden."),
        Mistake("== region[:, None, :]", "!= region[:, None, :]", "Turned round: True is where a patch *may* look, which is its own region."),
        Mistake("== region[:, None, :]", "<= region[:, None, :]", "With `<=` some pairs see one way only: the same region is `==`."),
        Mistake("== region[:, None, :]", ">= region[:, None, :]", "With `>=` some pairs see one way only: the same region is `==`."),
        Mistake(lambda h, w, win, s: _seam_mask(h, w, win, win // 2), "Right only when shift is W // 2, as in Swin: use `shift`."),
        Mistake(_turned_region, "`region` is laid out as (width, height) and then read as (height, width): the two have changed places."),
        Mistake(_labelled(lambda h, w, win, s: 2 * _from_the_start(h, s)[:, None] + _from_the_start(w, s)), "The seam is `shift` from the *end* of the rolled image, −shift, not from its start: after a roll by −shift what went round stands at the end."),
        Mistake(_labelled(lambda h, w, win, s: 2 * _at(h, h - w + s)[:, None] + _at(w, s)), "Right for square images. The rows are cut where the columns are: their seam is `shift` from the end of the *height*."),
        Mistake(_labelled(lambda h, w, win, s: 2 * _at(h, s)[:, None] + _at(w, w - h + s)), "Right for square images. The columns are cut where the rows are: their seam is `shift` from the end of the *width*."),
        Mistake(_labelled(lambda h, w, win, s: _at(h, s)[:, None] | _at(w, s)), "What went round in rows and what went round in columns have one label. They come from different edges."),
        Mistake(_labelled(lambda h, w, win, s: _at(h, s)[:, None] + _at(w, s)), "The labels are only added: round the row seam and round the column seam give the same 1. They come from different edges."),
        Mistake(_labelled(lambda h, w, win, s: _at(h, s)[:, None] & _at(w, s)), "Only the corner is set apart, what went round both ways. What went round one way is hidden too."),
        Mistake(_either, "A patch may look where the row bands agree *or* the column bands do. A region is both: its row band and its column band."),
        Mistake(_labelled(lambda h, w, win, s: 2 * _at(h, win - s)[:, None] + _at(w, win - s)), "W − shift and shift have changed places: what went round is `shift` wide."),
        Mistake(_labelled(lambda h, w, win, s: np.arange(h * w).reshape(h, w)), "Every patch has a label of its own and sees itself alone."),
        Mistake(lambda h, w, win, s: np.ones((h * w // win**2, win**2, win**2), bool), "Nothing is hidden at all: inside a window all patches have one label. Do h and w stand on the last two axes, does `label` count up, and do two bands part at −shift?"),
        Mistake(lambda h, w, win, s: _seam_mask(w, h, win, s), "Height and width have changed places."),
        Mistake(lambda h, w, win, s: np.where(_seam_mask(h, w, win, s), 0.0, -100.0), "These are numbers to add to scores, 0 and −100. Wanted is True where a patch may look."),
        Mistake(lambda h, w, win, s: np.where(_seam_mask(h, w, win, s), 0.0, -np.inf), "These are numbers to add to scores, 0 and −∞. Wanted is True where a patch may look."),
        Mistake(lambda h, w, win, s: _seam_mask(h, w, win, s).all(axis=0), "One mask for all windows. Each window has its own."),
    ],
    alternatives=[_four_labels, _channels_last],
    hints=[
        "Which axes of `region` hold the image? Which axes do `h` and `w` stand on?",
        "A slice on an axis of size 1 never fails: `np.zeros((1, 4))[0:-2]` is empty, and nothing is written.",
        "`region[:, :, h, w]` puts them on the last two axes.",
    ],
)  # fmt: skip


def _shifted_layer(image, window, shift, bias):
    """One layer in shifted windows, all content scores 0: (height, width, c).

    image (height, width, c), bias (W², W²).
    """
    height, width, _ = image.shape
    v = partition(np.roll(image, (-shift, -shift), (0, 1)), window)
    mask = shift_mask(height, width, window, shift)
    weights = softmax(np.where(mask, bias, -np.inf))
    made = reverse(weights @ v, height, width)
    return np.roll(made, (shift, shift), (0, 1))


def _shifted_layer_given(image, window, shift, bias):
    """One layer in shifted windows, all content scores 0: (height, width, c).

    image (height, width, c), bias (W², W²).
    """
    height, width, _ = image.shape
    v = partition(np.roll(image, (-shift, -shift), (0, 1)), window)
    mask = shift_mask(height, width, window, shift)
    weights = softmax(np.where(mask, bias, -np.inf))
    return reverse(weights @ v, height, width)


def _by_definition(image, window, shift, bias):
    """No roll: each patch averages those of its piece of the image, with the bias of their places in the window."""
    image = np.asarray(image, float)
    height, width, c = image.shape
    made = np.zeros((height, width, c))
    places = [(y, x) for y in range(height) for x in range(width)]

    def piece(y, x):
        return (y - shift) // window, (x - shift) // window

    def patch(y, x):
        return (y - shift) % window * window + (x - shift) % window

    for here in places:
        keys = [there for there in places if piece(*there) == piece(*here)]
        weights = softmax([bias[patch(*here), patch(*there)] for there in keys])
        made[here] = sum(w * image[there] for w, there in zip(weights, keys, strict=True))
    return made


def _index_back(image, window, shift, bias):
    height, width, _ = image.shape
    rows, columns = (np.arange(height) + shift) % height, (np.arange(width) + shift) % width
    v = partition(image[rows][:, columns], window)
    weights = softmax(np.where(shift_mask(height, width, window, shift), bias, -np.inf))
    made = np.zeros(image.shape)
    made[np.ix_(rows, columns)] = reverse(weights @ v, height, width)
    return made


def _layer(there=-1, back=1, axes=((0, 1), (0, 1)), hidden=True, turn=lambda bias: bias):
    """The layer with other rolls, in shifts; `axes` of the roll there and of the roll back."""

    def wrong(image, window, shift, bias):
        height, width, _ = image.shape
        rolled = np.roll(image, (there * shift,) * len(axes[0]), axes[0])
        mask = shift_mask(height, width, window, shift) if hidden else True
        weights = softmax(
            np.where(mask, turn(np.broadcast_to(bias, (height * width // window**2, *bias.shape))), -np.inf)
        )
        made = reverse(weights @ partition(rolled, window), height, width)
        return np.roll(made, (back * shift,) * len(axes[1]), axes[1])

    return wrong


def _transposed_and_away(image, window, shift, bias):
    height, width, _ = image.shape
    v = partition(np.roll(image, (-shift, -shift), (0, 1)), window)
    weights = softmax(np.where(shift_mask(height, width, window, shift), bias, -np.inf))
    return reverse(weights.swapaxes(-1, -2) @ v, height, width)


def _hides_and_away(image, window, shift, bias):
    height, width, _ = image.shape
    v = partition(np.roll(image, (-shift, -shift), (0, 1)), window)
    weights = softmax(np.where(shift_mask(height, width, window, shift), -np.inf, bias))
    return reverse(weights @ v, height, width)


def _near(window):
    far = abs(np.arange(1 - window, window))
    return window_bias(-(far[:, None] + far).reshape(-1, 1).astype(float), window)[0]


def _random_image(seed, height, width, window, shift):
    return numbers(seed, height, width, 2), window, shift, numbers(seed + 1, window**2, window**2)


def _constant_stays(result, image, window, shift, bias):
    return np.ptp(image) > 0 or np.allclose(np.asarray(result), image, atol=1e-6)


_PLACE = ("row", "column", "channel")
_ONLY_SELF = np.where(np.eye(4, dtype=bool), 0.0, -1e9)

shifted_layer = Task(
    title="Bug hunt: the picture that wanders",
    minutes=8,
    difficulty=2,
    words="""This layer rolls the image, attends inside windows under the mask, and puts the windows together again. Its shape
is right. In a deep network with a residual path each patch is added to another one, and after a dozen layers nothing is where
it was. With a bias that lets every patch see only itself the layer should hand back the image it was given. Mend it.""",
    solution=_shifted_layer,
    given=_shifted_layer_given,
    expected=_by_definition,
    cases=[
        Case(np.arange(16.0).reshape(4, 4, 1), 2, 1, _ONLY_SELF, says="each patch sees only itself", axes=_PLACE),
        Case(np.arange(16.0).reshape(4, 4, 1), 2, 1, np.zeros((4, 4)), says="no bias: averages", axes=_PLACE),
        Case(*_random_image(0, 4, 6, 2, 1), says="4 × 6 patches", axes=_PLACE),
        Case(numbers(2, 6, 6, 3), 3, 1, _near(3), says="windows of 3 × 3, shift 1", axes=_PLACE),
        Case(*_random_image(3, 6, 6, 3, 2), says="windows of 3 × 3, shift 2", axes=_PLACE),
        Case(*_random_image(5, 4, 4, 2, 0), says="no shift", axes=_PLACE),
        Case(*_random_image(8, 4, 8, 4, 3), says="windows of 4 × 4, shift 3", axes=_PLACE),
        Case(np.full((4, 4, 1), 0.5), 2, 1, numbers(7, 4, 4), says="an image of one colour", axes=_PLACE),
    ],
    draw=lambda rng: _random_image(
        int(rng.integers(1000)),
        (window := int(rng.integers(2, 4))) * int(rng.integers(1, 4)),
        window * int(rng.integers(1, 4)),
        window,
        int(rng.integers(window)),
    ),
    axes=_PLACE,
    properties=[
        Property("one colour stays", _constant_stays, "An image of one colour must come back as it was: is something added to the averages, or do the weights that each query gives not sum to 1?"),
    ],
    mistakes=[
        Mistake("np.roll(made, (shift, shift), (0, 1))", "made", "The picture still comes back `shift` patches up and left of where it was: roll it back. (`np.roll` makes a new array: return that one.)"),
        *(
            Mistake("np.roll(made, (shift, shift), (0, 1))", f"np.roll(made, ({by}, {by}), (0, 1))", message)
            for by, message in {
                "1": "Right only when shift is 1: roll by `shift`.",
                "2": "Right only when shift is 2: roll by `shift`.",
                "window // 2": "Right only when shift is W // 2, as in Swin: roll by `shift`.",
                "window": "You roll back by the whole window. Back is by what it was rolled there: `shift`.",
            }.items()
        ),
        Mistake("np.roll(made, (shift, shift), (0, 1))", "image + np.roll(made, (shift, shift), (0, 1))", "It comes back now, but the image itself is added: the residual path is outside this layer."),
        Mistake("np.roll(made, (shift, shift), (0, 1))", "image + made", "The image itself is added: the residual path is outside this layer. And the picture does not come back yet."),
        Mistake("weights @ v", "weights.swapaxes(-1, -2) @ v", "It comes back now, but the weights are transposed: (query, key) @ (key, c) was right."),
        Mistake(_transposed_and_away, "The weights are transposed: (query, key) @ (key, c) was right. And the picture does not come back yet."),
        Mistake("np.where(mask, bias, -np.inf)", "np.where(mask, -np.inf, bias)", "It comes back now, but the mask is turned round: this hides what may be seen."),
        Mistake(_hides_and_away, "The mask is turned round: this hides what may be seen. And the picture does not come back yet."),
        Mistake(lambda image, window, shift, bias: np.roll(image, (shift, shift), (0, 1)), "The image is only rolled, down and right: the windows are not attended. It is `made` that must be rolled back."),
        Mistake(lambda image, window, shift, bias: np.roll(image, (-shift, -shift), (0, 1)), "The image is only rolled, up and left: the windows are not attended. It is `made` that must be rolled back."),
        Mistake(_layer(there=1, back=0), "It is rolled the other way round there, and not back: the seam is on the wrong side, and the picture wanders down and right."),
        Mistake("np.roll(made, (shift, shift), (0, 1))", "np.roll(made, (-shift, -shift), (0, 1))", "You roll once more in the same direction. Back is the other one: +shift."),
        Mistake("np.roll(made, (shift, shift), (0, 1))", "np.roll(made, (shift, shift), (1, 2))", "The axes are (height, width, c): rows are axis 0, columns axis 1. Yours rolls columns and channels."),
        Mistake("np.roll(made, (shift, shift), (0, 1))", "np.roll(made, shift, 0)", "Only the rows have come back. Columns were rolled as well."),
        Mistake("np.roll(made, (shift, shift), (0, 1))", "np.roll(made, shift, 1)", "Only the columns have come back. Rows were rolled as well."),
        Mistake("np.roll(made, (shift, shift), (0, 1))", "np.roll(made, (shift, shift))", "Without axes `roll` moves all numbers as one long list, twice by shift. Say (0, 1): rows and columns."),
        Mistake("np.roll(made, (shift, shift), (0, 1))", "np.roll(made, shift)", "Without axes `roll` moves all numbers as one long list. Say (0, 1): rows and columns."),
        Mistake("np.roll(made, (shift, shift), (0, 1))", "np.roll(made, (window - shift, window - shift), (0, 1))", "Back is by what it was rolled there: shift, not window − shift."),
        Mistake("np.roll(made, (shift, shift), (0, 1))", "np.roll(made, (shift, -shift), (0, 1))", "The rows are back; the columns have gone on in the same direction."),
        Mistake("np.roll(made, (shift, shift), (0, 1))", "np.roll(made, (-shift, shift), (0, 1))", "The columns are back; the rows have gone on in the same direction."),
        Mistake("np.roll(made, (shift, shift), (0, 1))", "np.roll(made, (2 * shift, 2 * shift), (0, 1))", "Too far: one roll back, by shift."),
        Mistake("np.roll(made, (shift, shift), (0, 1))", "np.roll(made, (shift, shift), (0, 1))[::-1, ::-1]", "Turned round as well. A roll back is all that is needed."),
        Mistake(_layer(there=0, back=0), "Now nothing is rolled, and the windows are not shifted: the mask hides at the edges for nothing. Roll there *and* back."),
        Mistake(_layer(there=1, back=-1), "You roll the other way round: then the windows move up and left, and the mask's seam is on the wrong side."),
        Mistake(_layer(there=0, back=0, hidden=False), "Now it is a plain layer: no shift, no mask. It was meant to shift."),
        Mistake(_layer(hidden=False), "It comes back now. But the mask is gone: patches from opposite edges are mixed."),
        Mistake(_layer(back=0, hidden=False), "The mask is gone, and the picture does not come back. The mask was right; the roll back is missing."),
        Mistake(_layer(turn=lambda bias: bias.swapaxes(-1, -2)), "It comes back now, but the bias is transposed. It was right as it was."),
        Mistake("(-shift, -shift), (0, 1)", "(shift, -shift), (0, 1)", "There the rows roll down and the columns left. Both go by −shift: the mask expects that."),
        Mistake("(-shift, -shift), (0, 1)", "(-shift, shift), (0, 1)", "There the columns roll right and the rows up. Both go by −shift: the mask expects that."),
        Mistake("(-shift, -shift), (0, 1)", "(-shift, -shift), (1, 2)", "There columns and channels are rolled. Rows are axis 0, columns axis 1."),
        Mistake("(-shift, -shift), (0, 1)", "(-shift, -shift), (1, 1)", "There the columns are rolled twice, and the rows not at all."),
        Mistake("(-shift, -shift), (0, 1)", "(-shift, -shift), (0, 0)", "There the rows are rolled twice, and the columns not at all."),
        Mistake("(-shift, -shift), (0, 1)", "(-shift, -shift), (0, 2)", "There the channels are rolled: the columns are axis 1."),
        Mistake("(shift, shift), (0, 1)", "(shift, shift), (1, 1)", "On the way back the columns are rolled twice, and the rows not at all."),
        Mistake("(shift, shift), (0, 1)", "(shift, shift), (0, 0)", "On the way back the rows are rolled twice, and the columns not at all."),
        Mistake("(shift, shift), (0, 1)", "(shift, shift), (0, 2)", "On the way back the channels are rolled: the columns are axis 1."),
        Mistake("(-shift, -shift), (0, 1)", "-shift, 0", "There only the rows are rolled. The columns are shifted as well."),
        Mistake("(-shift, -shift), (0, 1)", "-shift, 1", "There only the columns are rolled. The rows are shifted as well."),
        Mistake(_layer(there=0), "It is rolled back without having been rolled: the first roll was right."),
        Mistake("reverse(weights @ v, height, width)", "reverse(v, height, width)", "The values come back as they were: the weights are not used."),
        Mistake("reverse(weights @ v, height, width)", "(weights @ v).reshape(height, width, -1)", "Windows are no rows of the image: `reverse` puts them back to their places, `reshape` does not."),
    ],
    alternatives=[_by_definition, _index_back],
    hints=[
        "Where is patch 0 after the first line that rolls? Where does its output stand at the end?",
        "`np.roll(x, (-shift, -shift), (0, 1))` goes up and left. What undoes it?",
    ],
)  # fmt: skip
