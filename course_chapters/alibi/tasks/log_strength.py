r"""Fit λ · 12 minutes · ★★

A free table need not be a straight line. `column` holds the numbers of one head in a table of T5's encoder
([[t5_buckets|chapter #]]), by bucket. Look at one side of the query, `side` −1 (keys before it) or +1 (keys after it),
and there at the distances $d$ = 1 to 127. Which log decay $c - \lambda \ln(1 + d)$ is nearest to the head's bias?
Return its strength λ.

*Nearest* means that the sum of the 127 squared differences is as small as possible, so each distance counts once. The
constant $c$ is free. λ is positive if the bias falls with the distance, and negative if it rises.

`table[:, 8]` is head 8 of MPNet. `np.polyfit(x, y, 1)` gives the slope and the constant of the straight line that is
nearest to the points (x, y).
"""

import numpy as np

from course_kit.checking import Case
from course_lib import learned
from course_lib.reference.t5 import bucket

TABLE = learned.read("mpnet", "table")


def log_strength(column, side):
    """The strength λ of the nearest log decay c − λ ln(1 + d), over the distances 1 … 127 on one side.

    column (32,) holds the bias of a head by bucket; side is −1 before the query, 1 after it.
    """
    d = np.arange(1, 128)  # The distances are 1 to 127, and each counts once.
    b = column[bucket(side * d)]  # The bias at a distance is the number of its bucket, and the offset is side · d.
    x = np.log(1 + d)  # The log decay is a straight line in ln(1 + d), with the natural logarithm.
    slope = np.cov(x, b)[0, 1] / np.cov(x)  # The nearest line with a free constant has this slope, as in `np.polyfit`.
    return -slope  # λ is minus the slope, because a decay falls.


def weighted(x, b, w):
    """The slope of the nearest line if each point counts w times."""
    return np.cov(x, b, aweights=w)[0, 1] / np.cov(x, aweights=w)


def expected(column, side):
    b = [column[int(bucket(side * d))] for d in range(1, 128)]
    return -np.polyfit(np.log(range(2, 129)), b, 1)[0]


def draw(rng):
    return rng.normal(size=32), int(rng.choice([-1, 1]))


CASES = [
    Case(TABLE[:, 8], 1, label="head 8, keys after the query"),
    Case(TABLE[:, 6], -1, label="head 6, keys before the query"),
    Case(TABLE[:, 4], 1, label="head 4, keys after the query: its bias rises"),
    Case(-0.3 * np.log(np.arange(1, 33)), -1, label="a decay by bucket"),
]
WRONG = """
d = np.array([1, 2, 3, 4, 5, 6, 7, 8, 12, 16, 23, 32, 46, 64, 91])
# Here each *bucket* counts once, so near distances count for too much: 91 to 127 share one bucket. Count distances.
slope = weighted(x, b, 128 - d)
slope = weighted(x, b, 512 - d)
# You weight each distance by how often it occurs in a text. Here each distance counts once.
slope = weighted(x, b, 1 / d)  # Your near distances count for more. Here each counts once.
slope = weighted(x, b, np.exp(b))  # You weight each distance by e^b. Here each distance counts once.
d = np.arange(128)  # You include distance 0. The token itself is on neither side, and its number is out of line.
d = np.arange(1, 129)  # You go to distance 128. The last one is 127.
d = np.arange(1, 127)  # You stop at distance 126, because `np.arange` leaves out its end. The last one is 127.
d = np.arange(1, 16)  # These are 15 distances. The bias has a number for every distance up to 127.
b = column[bucket(-side * d)]  # This is the other side. A key before the query has a negative offset.
b = column[bucket(d)]
b = column[bucket(-d)]  # You take the same side whatever `side` says. The offset of distance d is `side * d`.
b = column[bucket(side * d, bidirectional=False)]  # These are a decoder's buckets. The table is an encoder's.
x = np.log(d)  # This is ln d. The log decay has ln(1 + d).
x = np.log2(1 + d)  # This is the logarithm with base 2. Take the natural one, `np.log`.
x = d  # This is the slope of a straight line in d, as ALiBi's. Take ln(1 + d).
slope = (x @ b) / (x @ x)  # Your decay has no constant, so it is 0 at distance 0. Let c be free.
slope = ((x - x[0]) @ (b - b[0])) / ((x - x[0]) @ (x - x[0]))
# Your decay passes through the number of the neighbour. Let c be free.
slope = (b[-1] - b[0]) / (x[-1] - x[0])  # You use the nearest and the farthest distance only. Fit all 127.
slope = np.cov(x, b)[0, 1] / np.cov(b)  # You exchanged x and y: `polyfit` takes ln(1 + d) first.
return slope  # This is the slope. λ is minus the slope, so it is positive if the bias falls.
return abs(slope)  # λ is negative if the bias rises. Take minus the slope, not its size.
return b.mean() - slope * x.mean()  # This is the constant c. The slope is the first number that `polyfit` gives.
"""


def wrong_rows(column, side):
    """You take the row for the distance. From distance 8 on, several distances share a row, and each counts: use
    `bucket`."""
    rows, x = column[1:16] if side < 0 else column[17:], np.log(1 + np.arange(1, 16))
    return -np.cov(x, rows)[0, 1] / np.cov(x)


HINTS = [
    "`bucket(side * np.arange(1, 128))` says which number of the column each distance has.",
    "c − λ ln(1 + d) is a straight line if its x is ln(1 + d). What is its slope?",
    "`np.polyfit(np.log(1 + d), b, 1)` gives the slope and c, and λ is minus the slope.",
]
