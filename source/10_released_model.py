# %% [markdown]
# # [[title]]
#
# The layer you built runs a released model, SmolLM2-135M.
#
# **You will be able to**
# - read weights from a model's file;
# - find heads by their offsets.
#
# **You need** chapters [[bias_by_hand|#]] (bias, mask), [[diagonals|#]] (`from_grid`) and [[rope|#]] (rotation).
# **Time** [[time]].

# %%
from course_tasks import claims

claims.chapter("released_model")

# %% [markdown]
# [[tasks]]. Next: [[next]].
