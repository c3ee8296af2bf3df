"""The schemes of the course beside each other, in one table that is computed: by asking the modules and the study.

from course_tasks import comparison
table = comparison.table()                   every scheme and column, for small sizes
print(table)                                 as text
table["ALiBi", "keeps for n tokens"]         one cell: .text, .value, .note how it was found, .evidence tests and runs
comparison.table(d_model=768, n_heads=12, n=512)
figures.comparison_table(table)              the same as a picture
"""

from .columns import Cell
from .schemes import SCHEMES, Scheme, Sizes
from .table import COLUMNS, Column, Table, table

__all__ = ["COLUMNS", "SCHEMES", "Cell", "Column", "Scheme", "Sizes", "Table", "table"]
