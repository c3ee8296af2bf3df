"""Messages of the capstone: what is wrong with a formula, and what an error means in such a class."""

# Wrong biases, made of a and c (heads, 1), distances d, offsets r and `past`. One without a message has the next one's.
FORMULAS = """
-a * (c * d).log()  # The 1 is missing. At distance 0 you take log 0 = −∞. It is log(1 + c·|r|).
-a * (1 + c * d).log1p()  # You take log(2 + c·|r|). `log1p(x)` adds the 1 itself.
-a * (c + d).log()
-a * (c + d).log1p()  # You add c to the distance. It multiplies it, log(1 + c·|r|).
-a * c * d.log1p()  # Your c is outside the logarithm, where it is a second strength. It multiplies the distance inside.
-a * (c * (1 + d)).log()
-a * (c * (1 + d)).log1p()  # You add 1 to the distance. It is added to c·|r|.
-a * d**c
-a * (d**c).log1p()  # You use c as a power. It multiplies the distance, log(1 + c·|r|).
-a.exp() * (c * d).log1p()
-a * (c.exp() * d).log1p()
-a.exp() * (c.exp() * d).log1p()  # You take e^a or e^c.
-a.log() * (c * d).log1p()
-a.log() * (c.log() * d).log1p()
-a * (c.log() * d).log1p()  # Your bias has the logarithm of a or c. Do you read the parameter where
# `self.a` or `self.c` is meant?
-a * (d / c).log1p()
-a * (c / d).log1p()  # You divide. Distance times c is what log1p takes.
-a * d.log1p()  # This is the log decay with a strength, because c is missing. It multiplies the distance.
-(c * d).log1p()
(c * d).log1p()  # The strength −a is missing.
-(a * c * d).log1p()  # Your strength is inside the logarithm. It multiplies the whole of it, −a·log(1 + c·|r|).
-(c * d).log1p() / a
-a / (c * d).log1p()  # You divide. The strength multiplies the logarithm.
a * a * (c * d).log1p()
-a * (c * c * d).log1p()  # One of your numbers is multiplied twice.
-c * (a * d).log1p()  # You exchanged a and c. The logarithm is multiplied by a, and the distance inside it by c.
-a * c * d  # This is a straight line, as in ALiBi, because the logarithm is missing.
-a * (c * d).sqrt()  # This is the square root decay. Here it is log(1 + c·|r|).
-a * (c * d**2).log1p()  # You square the distance. Inside the logarithm it is |r|.
-a * (1 + c * d).log2()
-a * (1 + c * d).log10()  # Your logarithm has another base. It is the natural one.
-a * (c * d.flip(0)).log1p()  # Your offsets are in reverse order. They ascend, so the past comes first.
-a * (c * d).long().log1p()  # The decimals of c·|r| are cut off, as `.long()` does. Keep them.
-a.mean() * (c * d).log1p()
-a[0] * (c * d).log1p()  # All your heads get the same strength a. Each has its own.
-a * (c.mean() * d).log1p()
-a * (c[0] * d).log1p()  # All your heads get the same c. Each has its own.
-a.flip(0) * (c * d).log1p()
-a * (c.flip(0) * d).log1p()  # The heads of a or of c are in reverse order.
-a.flip(0) * (c.flip(0) * d).log1p()  # Your heads are in reverse order.
a * (c * d).log1p()  # Every number has the wrong sign. A far key costs, so the bias is negative.
-d.log1p() + 0 * a  # This is the log decay of strength 1. Here each head has its own a and c.
-a * (c * r).log1p()
-a * (-c * r).log1p()  # One side has negative offsets and no logarithm (nan). Distance is |r|.
-a * (1 + c * r).abs().log()  # You take the absolute value too late. It is |r| that c multiplies, and then 1 is added.
-a * (c * r.clamp(min=0)).log1p()
-a * (c * (-r).clamp(min=0)).log1p()  # The decay is the same on both sides, by |r|.
(-a * (c * d).log1p()).masked_fill(r > 0, -inf)  # You hide the keys after the query. That is the job of the mask.
-a * (c * (r + past).abs()).log1p()  # You are right without a cache. The first query is at `past`, so pass it to
# `row_offsets`.
-a * (c * (r.flip(0) + 2 * past).abs()).log1p()  # You exchanged queries and keys. `row_offsets` takes n_q first, then
# n_k.
"""
DEVICE = "A tensor is made on the CPU. `row_offsets(n_q, n_k, past, device)` takes a device, and parameters have one."
ERRORS = rf"""
meta tensor|convert meta  # Numbers leave their tensor, by `if`, `.item()`, `.cpu()` or the like. Compute with tensors.
\bmeta\b  # {DEVICE}
before Module\.__init__  # `super().__init__()` comes first in `__init__`: it prepares the module for parameters.
has no setter|can't set attribute  # A property is computed. Keep what is learned under another name.
__init__\(\) (takes|missing)  # The class has `def __init__(self, n_heads)`, and `super().__init__()` takes nothing.
\w+\.bias\(\) (takes|missing)  # The layer calls `bias(n_q, n_k, past)`, so your method needs all three.
'Tensor' object is not callable  # A property is read without parentheses: `self.a`. Or is a `*` missing?
^RecursionError  # A property that reads itself never ends. What `__init__` keeps needs another name than the property.
unhashable type: '(?!list|dict|set|slice|numpy)  # torch looks modules up by their identity: write no dataclass.
Only Tensors of floating point  # A parameter holds floats: `torch.zeros(…)` makes some.
object has no attribute  # Does `__init__` make this, under this name? Or is a name inside a property wrong?
Can't call numpy\(\)  # NumPy does not compute gradients, so use torch (`torch.log1p`, `.exp()`).
NameError: name '(torch|nn|row_offsets|Position)'  # A cell further up imports it: choose *Run All Cells*.
NameError: name '(exp|log|log1p|zeros|ones|Parameter)'  # Use its full name, such as `torch.exp` or `nn.Parameter`.
NameError: name '[ac]'  # The numbers belong to the module, so they are `self.a` and `self.c`.
size of tensor a  # The shapes do not fit. Both a and c need a second axis, as in `self.a[:, None]`.
"""
