"""How far back is the definition?"""

import numpy as np

from course_lib.checking import Axis, Case, CodingTask, Property


def _distance_to_definition(names, binds):
    """Tokens from each use of a name back to the latest token that binds it, (n,); −1 where there is none.

    names: the n tokens of a program, in order. binds: truth values (n,), True where the token gives its name a value.
    """
    last, distances = {}, np.full(len(names), -1)
    for i, name in enumerate(names):
        if binds[i]:
            last[name] = i
        elif name in last:
            distances[i] = i - last[name]
    return distances


def _places(names, binds, i, end=None):
    """The places before `end`, or in the whole program, at which the name of token i is bound."""
    return [k for k in range(len(names))[:end] if names[k] == names[i] and binds[k]]


def _looking_back(names, binds, bound=-1, unknown=-1):
    """The definition of the task, token by token: `bound` at a definition, `unknown` where there is none before."""
    before = [_places(names, binds, i, i) for i in range(len(names))]
    return [bound if binds[i] else i - before[i][-1] if before[i] else unknown for i in range(len(names))]


def _program(text, label):
    """A case from a program with spaces between its tokens and a * before each name that is bound."""
    return _case(text.replace("*", "").split(), np.array([token[0] == "*" for token in text.split()]), label)


def _case(names, binds, label="a random case"):
    return Case(names, binds, label=label, axes=[Axis("token", [f"{i}: {name}" for i, name in enumerate(names)])])


_OTHER_NUMBERS = {"0": "0", "1": "1", "np.nan": "nan", "np.inf": "∞", "len(names)": "the length of the program"}
_NO_DISTANCE = """
... → return _looking_back(names, binds, {0}, {0})
    You give {1} to every token without a distance. The task asks for −1.
... → return _looking_back(names, binds, unknown={0})
    You give {1} to a name that nothing before it binds. The task asks for −1.
... → return _looking_back(names, binds, bound={0})
    You give {1} to a token that binds its name. It is not a use, so its entry is −1.
"""

distance_to_definition = CodingTask(
    title="How far back is the definition?",
    minutes=12,
    difficulty=2,
    words="""A model that reads a program must often find the place where a name got its value. How far back is that?
`names` are the tokens of a program in order, and `binds[i]` is True where token i **binds** its name, that is, gives it
a value: a parameter, the left side of `=`, the variable of a `for`.

Return a list or an array of n whole numbers, one for each token. For a use of a name, count the tokens back to the
**latest** token before it that binds the same name, so that the token just before is at distance 1. The entry is −1 for
a token that binds, and for a name that nothing before it binds, such as `len` or `(`. Names are compared exactly:
`x` is not `X`.

The lesson measures this distance over Python's own library, and compares it with the distances at which the schemes
stop telling tokens apart. Its rule is finer: each function has names of its own, and in `x = x + 1` the x on the right
is the old one. The rule of this task is simpler, so here this x is at distance 2.""",
    solution=_distance_to_definition,
    expected=_looking_back,
    cases=[
        _program("def *mean ( *row ) : *n = len ( row ) ; return sum ( row ) / n", "a small function"),
        _program("*x = 2 ; *y = x ; *x = 3 ; print ( x , y )", "a name that is bound twice"),
        _program("print ( x ) ; *x = 1 ; print ( x )", "a use before the definition"),
        _program("*a = *b = 5 ; c ( b , a , b )", "two names, and one of them used twice"),
        _program("*x = 1 ; *x = x + 1 ; print ( x )", "a name bound from itself"),
        _program("def *f ( *x ) : return x ; def *g ( *X ) : return x + X + f ( X )", "two functions"),
        _program("print ( os ) ; import *os", "a definition at the very end"),
        _program(f"*x = 1 ; {'f ( ) ; ' * 34}print ( x )", "a definition far back"),
        _program("x", "one token, and nothing bound"),
    ],
    draw=lambda rng: _case(
        rng.choice(list("abcd"), size=(n := int(rng.integers(8, 25)))).tolist(), rng.random(n) < 0.3
    ),
    properties=[
        Property(
            "none at a definition",
            lambda found, names, binds: (found[binds] == -1).all(),
            "You give a distance to a token that binds its name. It is not a use, so its entry is −1.",
        ),
        Property(
            "the latest definition",
            lambda found, *program: all(d in (-1, right) for d, right in zip(found, _looking_back(*program))),
            "One of your numbers is not −1, and does not lead from a use back to the latest token that binds the same "
            "name. If your dictionary is made outside the function, it holds places from earlier calls.",
        ),
        Property(
            "none missed",
            lambda found, *program: all(d != -1 or right == -1 for d, right in zip(found, _looking_back(*program))),
            "You give −1 to the use of a name that is bound before it, however far back that is.",
        ),
    ],
    pieces="""
i - last[name]
    the distance: It is the place of the use minus that of the definition, so the token just before is at distance 1.
binds[i]
    the condition for a definition: Token i binds its name where `binds[i]` is True, and all other tokens are uses.
name in last
    the condition for a distance: Only a name that was bound before has one.
np.full(len(names), -1)
    the result: It begins with −1 for every token.
""",
    slips="".join(_NO_DISTANCE.format(code, words) for code, words in _OTHER_NUMBERS.items())
    + """
... → return _looking_back(names, binds, None, None)
or ... → return _looking_back(names, binds, bound=None)
    You return None for a token without a distance. The task asks for −1, so that all entries are whole numbers.
last[name] = i → last.setdefault(name, i)
or last[name] = i → distances[i] = i - last.setdefault(name, i) or -1
    You keep the first definition of a name. A later one replaces it, because the latest before the use counts.
last[name] = i → distances[i] = i - last.get(name, i + 1); last[name] = i
    You measure from a token that binds again to the definition that it replaces. It is not a use, so its entry is −1.
if binds[i]: → if not binds[i]:
    You exchanged uses and definitions. `binds[i]` is True where token i is a definition.
elif name in last: → else:
or elif name in last: → else:
i - last[name] → i - last.get(name)
    A name that nothing before it binds is not in the dictionary. Ask `name in last` first, and otherwise keep −1.
... → return [-1 if binds[i] else i - max(_places(names, binds, i, i), default=0) for i in range(len(names))]
    You give its own place instead of −1 to a name that nothing before it binds. Is 0 the default of your `get`?
... → return [-1 if binds[i] else i - max(_places(names, binds, i, i), default=-1) for i in range(len(names))]
or ... → return [0 if binds[i] else i - max(_places(names, binds, i, i), default=-1) for i in range(len(names))]
    You give i + 1 instead of −1 to a name that nothing before it binds, because i − (−1) is i + 1. Is −1 the default of
    your `get`, or does a loop to the left run past token 0?
elif name in last: → elif last.get(name):
    You never find a definition at place 0. In an `if`, 0 counts as False; as the end of a `range`, 0 is left out.
elif name in last: → else:
i - last[name] → i - last.get(name, -1 if binds[-1] and names[-1] == name else i + 1)
    Your loop to the left runs past token 0, and `names[-1]` is the *last* token. Let its `range` end at −1, not at −2.
i - last[name] → i - max(_places(names, binds, i, i - 1), default=i + 1)
    You never look at the token just before the use. A loop to the left begins at i − 1.
... → return [i - max((k for k in range(i) if names[k] == x), default=i + 1) for i, x in enumerate(names)]
or elif name in last: → else:
i - last[name] → i - last.get(name, i + 1); last[name] = i
    You go back to the last token with the same name. Only a token that binds the name is a definition.
distances[i] = i - last[name] → distances[i] = i - last[name]; last[name] = i
    You change the place of a name at each use, so you measure to the last use. Only a token that binds it changes it.
i - last[name] → i - last.pop(name)
or last[name] = i → distances[i] = i - last.get(name, i + 1); last[name] = i
i - last[name] → i - last.pop(name)
    Only the first use of a definition gets a distance. Do not stop at a use, and do not forget the definition there.
... → return [-1 if binds[i] else i - names.index(x) for i, x in enumerate(names)]
or ... → return [i - names.index(x) for i, x in enumerate(names)]
or elif name in last: → elif binds[names.index(name)]:
i - last[name] → i - names.index(name)
    You measure to the first token with the name, as `index` does. Look for the latest before the use that binds it.
elif name in last: → elif last:
i - last[name] → i - max(last.values())
    You go back to the latest definition of any name. It must be the same name.
last[name] = i → last = {name: i}
    You remember one definition only, so the next one of another name replaces it. Keep the latest place of each name.
enumerate(names) → enumerate(map(str.lower, names))
    You ignore capital letters. `X` and `x` are different names.
elif name in last: → elif name in last and "def" not in names[last[name] : i]:
    You stop at `def`. In this task a definition counts for the whole program after it.
elif name in last: → elif max(_places(names, binds, i), default=i) < i:
or elif name in last: → else:
i - last[name] → i - max(_places(names, binds, i), default=i + 1)
or elif name in last: → elif _places(names, binds, i):
i - last[name] → abs(i - max(_places(names, binds, i)))
    You take the last definition in the whole program. Fill the dictionary in the same loop that measures.
enumerate(names) → reversed(list(enumerate(names)))
or enumerate(names) → reversed(list(enumerate(names)))
i - last[name] → abs(i - last[name])
    You look for the definition to the right of its use. It comes before the use.
elif name in last: → elif _places(names, binds, i):
i - last[name] → min(abs(i - k) for k in _places(names, binds, i))
    You take the nearest definition on either side. Only those before the use count.
i - last[name] → last[name]
    You return the place of the definition. Count how far back it is from the use.
return distances → return distances.astype(np.int8)
or return distances → return distances.astype(np.uint8)
    `int8` ends at 127, and `uint8` has no −1. Use plain `int`.
return distances → return distances[~binds]
or return distances → return distances[distances > 0]
    You return uses only. The task asks for a number for each token, and −1 for a token without a distance.
return distances → return distances > 0
or return distances → return distances == distances
    You return truth values, like those of `binds`. `np.full(len(names), -1)` makes an array of whole numbers.
... → return [-1] * len(names)
    Every entry is −1, so you never find a definition. Print what you remember at the first use of a name.
""",
    alternatives=[_looking_back],
    hints=[
        "Read the program once from left to right. What must you remember of the tokens that you have passed?",
        "Remember the latest place of each name in a dictionary, with `last[name] = i` at a token that binds.",
        "Begin with `np.full(len(names), -1)`. At a use whose name is in `last`, the distance is `i - last[name]`.",
    ],
)
