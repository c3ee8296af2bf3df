r"""Thirty-two numbers in twenty bytes · 10 minutes · ★ · first

The matrices of the file are stored as blocks of type Q4_1. A block holds 32 numbers in 20 bytes:

- bytes 0 and 1: the step $s$, a float16;
- bytes 2 and 3: $b$, the number at level 0, a float16;
- bytes 4 to 19: the 32 levels $c$, whole numbers from 0 to 15, two in each byte. The low four bits of byte $4 + t$ are
  level $t$, its high four bits are level $t + 16$.

Each number is $x = s\,c + b$. The first block of $W_q$ in layer 0 has $s = 0.12683$ and $b = -0.73047$. Its byte 4 is
45 in hexadecimal, so level 0 is 5 and level 16 is 4. Number 0 is $0.12683 \cdot 5 - 0.73047 = -0.0963$.

You get the 20 bytes as an array of `uint8`. Return the 32 numbers. In the file the low byte of a float16 comes first.
NumPy calls this dtype `"<f2"`.
"""

import struct

import numpy as np

from course_kit.checking import Case


def decode_block(block):
    """The 32 numbers, (32,), of a block of type Q4_1, uint8 (20,)."""
    s, b = np.frombuffer(block[:4], "<f2").astype(float)  # Bytes 0 and 1 are the step s, bytes 2 and 3 are b.
    low = block[4:] & 15  # The low four bits of the sixteen bytes are levels from 0 to 15, `byte & 15`.
    high = block[4:] >> 4  # The high four bits become levels from 0 to 15 when they move down by four bits.
    c = np.concatenate([low, high])  # The low four bits are the first sixteen levels, the high ones the last sixteen.
    return s * c + b  # A number is x = s · c + b.


def expected(block):
    s, b, *packed = struct.unpack("<2e16B", bytes(block))
    return [s * (byte % 16) + b for byte in packed] + [s * (byte // 16) + b for byte in packed]


def draw(rng):
    return (of(*rng.uniform((0.01, -2), (0.5, 2)), *rng.integers(0, 16, (2, 16)).tolist()),)


def of(s, b, low, high):
    """A block from its parts."""
    packed = [first + 16 * second for first, second in zip(low, high)]
    return np.frombuffer(struct.pack("<2e16B", s, b, *packed), "u1").copy()


FILE = bytes.fromhex("0f30 d8b9 4587 6540 6f65 164b 6776 6450 2267 655a")  # begins W_q of layer 0 in the file
CASES = [
    Case(np.frombuffer(FILE, "u1").copy(), label="the first block of W_q in layer 0"),
    Case(of(1, 0, range(16), [0] * 16), label="c is 0, 1, …, 15, then sixteen zeros; s = 1, b = 0"),
    Case(of(0, 0.25, [7] * 16, [9] * 16), label="32 equal numbers, s = 0"),
    Case(of(-0.25, 1, range(16), range(16)), label="s is negative"),
    Case(of(40, -3000, range(16), range(16)), label="large numbers"),
]
WRONG = """
b, s = np.frombuffer(block[:4], "<f2").astype(float)  # You exchange s and b. The step s comes first in the block.
s, b = np.frombuffer(block[:4], ">f2").astype(float)  # You read a float16 big-endian. Its low byte comes first.
s, b = np.frombuffer(block[:4], "<u2").astype(float)
s, b = np.frombuffer(block[:4], "<i2").astype(float)  # You read s and b as whole numbers. They are float16, "<f2".
low, high = block[4:] >> 4, block[4:] & 15  # Your first sixteen numbers are the high bits. The low bits come first.
c = np.stack([low, high], axis=1).ravel()
c = np.stack([high, low], axis=1).ravel()  # You put the two numbers of a byte beside each other. They are 16 apart: the
# low four bits of byte t are number t, its high four bits number t + 16.
low = block[4:] & 7  # You keep only three bits of the low half. Four bits are kept by `& 15`.
low = block[4:]  # Your first sixteen numbers are whole bytes. Keep their low four bits.
high = (block[4:] >> 4) & 7  # You keep only three bits. After `>> 4` only four are left, so no mask is needed.
high = block[4:] & 240  # Your high four bits are 16 times too large. Move them down by four bits, or divide by 16.
high = block[4:] / 16  # You divide by 16 and keep the rest, which belongs to the low half. Use `>> 4` or `// 16`.
c = (np.concatenate([low, high]).astype(int) ^ 8) - 8  # Your bits have a sign, −8 to 7. Here they count from 0 to 15.
return s * (c.astype(int) - 8)
return s * (c.astype(int) - 8) + b  # You subtract 8 from c, as the type Q4_0 does. In Q4_1 it is s · c + b.
return s * (c - b)  # You subtract b from c, as a zero point. It is the number at level 0, added at the end, s · c + b.
return s * (c + b)  # You multiply b by s as well. It is added at the end, s · c + b.
return c  # These are the levels c. Each number is s · c + b.
return s * c - b  # You subtract b. It is added: it is the number at level 0, and usually negative.
return s * block[4:] + b  # You return sixteen numbers. Each of the sixteen bytes holds two.
"""
HINTS = [
    '`np.frombuffer(block[:4], "<f2")` reads the first four bytes as two numbers of type float16.',
    "`byte & 15` keeps the low four bits, and `byte >> 4` moves the high four bits down. Both work on whole arrays.",
    "Join the sixteen low numbers and the sixteen high ones with `np.concatenate`.",
]
ON_PASS = "20 bytes for 32 numbers are 5 bits for each. All matrices of the layers are stored like this."
