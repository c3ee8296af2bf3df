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


def _looking_back(names, binds):
    """The definition: from each use, token by token, to the left."""
    found = []
    for i in range(len(names)):
        before = [i - k for k in range(i) if names[k] == names[i] and binds[k] and not binds[i]]
        found.append(min(before, default=-1))
    return found


def _from(definition, size=int, uses_only=True):
    """size(i − k) for each use, where definition(names, binds, i) is the place k; −1 where it is None."""

    def wrong(names, binds):
        found = np.full(len(names), -1)
        for i in range(len(names)):
            k = None if binds[i] and uses_only else definition(names, binds, i)
            if k is not None:
                found[i] = size(i - k)
        return found

    return wrong


def _places(names, binds, i):
    """Where the name of token i is bound, in the whole program."""
    return [k for k in range(len(names)) if names[k] == names[i] and binds[k]]


def _latest(names, binds, i):
    return max((k for k in _places(names, binds, i) if k < i), default=None)


def _program(text, label):
    """A case from a program whose tokens are apart; a * stands before each name that gets its value."""
    tokens = text.split()
    starred = [len(token) > 1 and token[0] == "*" for token in tokens]
    names = [token[1:] if star else token for token, star in zip(tokens, starred)]
    return _case(names, np.array(starred), label)


def _case(names, binds, label):
    return Case(names, binds, label=label, axes=[Axis("token", [f"{i}: {name}" for i, name in enumerate(names)])])


def _drawn(rng):
    n = int(rng.integers(8, 25))
    return _case(rng.choice(list("abcd"), size=n).tolist(), rng.random(n) < 0.3, "a random case")


distance_to_definition = CodingTask(
    title="How far back is the definition?",
    minutes=12,
    difficulty=2,
    words="""A model that reads a program must often find the place where a name got its value. How far back is that?
`names` are the tokens of a program in order, and `binds[i]` is True where token i **binds** its name, that is, gives it
a value: a parameter, the left side of `=`, the variable of a `for`.

Return a list or an array of n whole numbers, one for each token. For a use, that is the number of tokens back to the
**latest** token before it that binds the same name; the token just before is at distance 1. It is −1 where there is no
such distance: for a token that binds, and for a name that nothing before it binds, such as `len` or `(`. Names are
compared exactly: `x` is not `X`.

The lesson measures this distance over Python's own library, and compares it with the distances at which the schemes
stop telling tokens apart. Its rule is finer: each function has names of its own, and in `x = x + 1` the x on the right
is the old one. Here the rule is the simple one above, so that this x is at distance 2.""",
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
    draw=_drawn,
    properties=[
        Property(
            "none at a definition",
            lambda found, names, binds: (np.asarray(found)[binds] == -1).all(),
            "A token that binds its name is not a use of it, so its entry is −1.",
        ),
        Property(
            "from this call",
            lambda found, *_: (np.asarray(found) >= -1).all(),
            "A number below −1 counts to a definition that comes after the use. Does your dictionary hold the whole "
            "program from the start, or still that of an earlier call? If it is made outside the function, or as the "
            "default of an argument, it outlives the call.",
        ),
        Property(
            "at least 1",
            lambda found, *_: ((np.asarray(found) == -1) | (np.asarray(found) >= 1)).all(),
            "Every distance is at least 1, because a definition comes before its use, and −1 says that there is none.",
        ),
        Property(
            "a definition there",
            lambda found, names, binds: all(
                d == -1 or (i >= d and binds[i - int(d)] and names[i - int(d)] == names[i])
                for i, d in enumerate(np.asarray(found))
            ),
            "Count back from the use: at one of your distances there is no token that binds the same name.",
        ),
        Property(
            "the latest",
            lambda found, names, binds: all(
                d == -1 or _latest(names, binds, i) == i - d for i, d in enumerate(np.asarray(found))
            ),
            "One of your distances goes back too far: between its two ends the name is bound once more.",
        ),
        Property(
            "none missed",
            lambda found, names, binds: all(
                d != -1 or binds[i] or _latest(names, binds, i) is None for i, d in enumerate(np.asarray(found))
            ),
            "You give −1 to the use of a name that is bound before it. A definition counts, however far back it is "
            "and whatever is in between.",
        ),
    ],
    pieces="""
i - last[name]
    the distance: It is the place of the use minus that of the definition.
last[name]
    the place of the definition: It is kept in `last` under the name.
binds[i]
    the question whether token i binds: A token that binds is kept, and only the others are uses.
name in last
    the question whether the name is known: Only a name that was bound before has a distance.
np.full(len(names), -1)
    the result: It begins with −1 for every token.
len(names)
    the number of entries: There is one for each token.
""",
    slips="""
last[name] = i → last.setdefault(name, i)
    You keep the first definition of a name. A later one replaces it: the latest before the use counts.
elif name in last: → else:
    A name that nothing before it binds is not in the dictionary. Ask `name in last` first; otherwise its entry stays
    −1.
i - last[name] → last[name] - i
    These are offsets j − i, which are negative for the past. The task asks for the distance, i − j.
i - last[name] → last[name]
    This is the place of the definition. How far back is it from token i?
i - last[name] → i
    This is the place of the use. How far back is its definition?
i - last[name] → i - last[name] - 1
    You count the tokens in between, which is one too few. The token just before is at distance 1.
i - last[name] → i - last[name] + 1
    Your distances are one too large. The token just before is at distance 1, so the use itself is not counted.
i - last[name] → i + last[name]
    You add two places. A distance is their difference.
np.full(len(names), -1) → np.zeros(len(names), dtype=int)
    A 0 says that the definition is the token itself. Where there is none, the entry is −1.
np.full(len(names), -1) → np.full(len(names), np.nan)
    You use nan where the task asks for −1. A whole number says the same, because no distance is negative.
np.full(len(names), -1) → np.full(len(names), 1)
    A 1 says that the definition is the token just before. Where there is none, the entry is −1.
np.full(len(names), -1) → np.full(len(names), np.inf)
    Infinitely far is an idea, but it spoils every mean: where there is no definition, the entry is −1.
np.full(len(names), -1) → np.empty(len(names), dtype=int) * 0 + len(names)
    Where there is no definition the entry is −1, not the length of the program.
np.full(len(names), -1) → np.full(len(names), 255, dtype=np.uint8)
    255 is what −1 becomes in an array of `uint8`, which has nothing below 0: take plain `int`.
... → return _from(_first, uses_only=False)(names, binds)
    You keep the first definition of a name, and a token that binds it again is measured, too. A later definition
    replaces an earlier one, and its own entry is −1.
... → return [i - _latest(names, binds, i) for i in range(len(names)) if not binds[i]]
    `last.get(name)` is None for a name that nothing before it binds. Ask `name in last` first; otherwise its entry
    stays −1.
... → return _from(_same_name)(names, binds)
    You go back to the last token with that name, use or not. Only a token that binds it is a definition.
... → return _from(_same_name, uses_only=False)(names, binds)
    You go back to the last token with that name, whatever it is. `binds` says which of them are definitions.
... → return _from(_same_name_if_bound)(names, binds)
    Where a name is used twice, its second use has no definition. A use in between is no reason to stop there, nor to
    forget: the definition is farther to the left.
... → return _from(_same_name_if_bound, uses_only=False)(names, binds)
    Where a name is used twice, its second use has no definition: a use in between is no reason to stop there. And a
    token that binds gets −1.
... → return _from(_index)(names, binds)
    `index` finds the first token with that name, be it a use, a definition or the token itself. The latest before token
    i that *binds* it counts.
... → return _from(_index, uses_only=False)(names, binds)
    `index` finds the first token with that name, and you ignore `binds`. The latest before token i that *binds* it
    counts.
... → return _from(_index_if_bound)(names, binds)
    `index` finds the first token with that name alone. A name may be bound again later, or used before it is bound: the
    latest that binds it counts.
... → return _from(_any_name)(names, binds)
    You go back to the latest definition of any name. It must be the same name.
... → return _from(_one_remembered)(names, binds)
    You remember one definition, and the next one of another name wipes it out. Keep the latest for each name: a
    dictionary.
... → return _from(_not_token_0)(names, binds)
    A definition at place 0 is never found. On the way to the left `range` must end at −1, as it leaves its end out. And
    place 0 is false in an `if`: ask `in last`, or `is not None`.
... → return _from(_past_token_0)(names, binds)
    Your loop to the left runs past token 0: `names[-1]` is the *last* token of the program. In `range` the end −1 is
    left out, −2 is one too many.
... → return _from(_not_the_last_two)(names, binds)
    The token just before the use is never looked at: on the way to the left `range` begins at i − 1.
... → return _from(_any_case)(names, binds)
    You ignore capital letters. X and x are different names.
... → return _from(_in_this_function)(names, binds)
    You stop at `def`. Here the whole program counts, so take the latest token before the use that binds the name.
... → return _from(_last_of_all)(names, binds)
    You collect the definitions of the whole program first, so that a use may meet one that comes after it. Let the
    dictionary grow in the same loop that measures.
... → return _from(_last_of_all, size=abs)(names, binds)
    You measure to the last definition of the whole program, also where it comes after the use. Let the dictionary grow
    in the same loop that measures.
... → return _from(_last_of_all_if_before)(names, binds)
    You know only the last definition of each name in the whole program. A use before it has an earlier one, or none:
    let the dictionary grow in the same loop that measures.
... → return _from(_next)(names, binds)
    You look to the right, so you find definitions that come after the use, at negative distances.
... → return _from(_next, size=abs)(names, binds)
    You look to the right, but a definition comes *before* its use.
... → return _from(_nearest, size=abs)(names, binds)
    You take the nearest definition on either side. Python has only met those before the use.
... → return _for_unknown(lambda i: 0)(names, binds)
    A name that nothing before it binds gets −1, like a token that binds. You give it 0.
... → return _for_unknown(lambda i: np.nan)(names, binds)
    A name that nothing before it binds gets −1, like a token that binds. You give it nan, and all numbers of the array
    become floats with it.
... → return _for_unknown(lambda i: np.inf)(names, binds)
    A name that nothing before it binds gets −1, like a token that binds. You give it ∞, which spoils every mean.
... → return _for_unknown(lambda i: None)(names, binds)
    You return None if there is no definition. The task asks for −1, so that all entries are whole numbers.
... → return _for_unknown(lambda i: -1, bound=None)(names, binds)
    You return None for a token that binds. The task asks for −1, so that all entries are whole numbers.
... → return _changed(lambda found, names, binds: found.astype(np.int8))(names, binds)
    `int8` ends at 127, and a definition may be farther back. Use plain `int`.
... → return _for_unknown(lambda i: i)(names, binds)
    A name that nothing before it binds gets −1. You give it its place, as if token 0 were its definition: is that the
    default of your `get`?
... → return _for_unknown(lambda i: i + 1)(names, binds)
    A name that nothing before it binds gets −1. You give it one more than its place: i − (−1) is i + 1. Either −1
    stands for a missing place, or a loop to the left runs past token 0.
... → return _for_unknown(lambda i: i + 1, bound=0)(names, binds)
    A name that nothing before it binds gets −1, and so does a token that binds. You measure for both: i − (−1) is i +
    1, and a token that binds finds itself at 0.
... → return _for_unknown(lambda i: -1, bound=0)(names, binds)
    You give 0 to a token that binds: it finds itself. It is not a use, so its entry is −1.
... → return _from(_latest, uses_only=False)(names, binds)
    A token that binds again gets a distance, back to the definition it replaces. It is not a use, so its entry is −1.
... → return _changed(lambda found, names, binds: found[~binds])(names, binds)
    You return only the uses. The task asks for one number for each token, and −1 for a token that binds.
... → return _changed(lambda found, names, binds: found[found > 0])(names, binds)
    You return only the uses with a definition. The task asks for one number for each token, and −1 for all others.
... → return _changed(lambda found, names, binds: found[::-1])(names, binds)
    Your numbers are in reverse order. The first one belongs to the first token.
... → return _changed(lambda found, names, binds: found > 0)(names, binds)
    You return truth values, which say what tokens have a definition before them. How far back is it?
    (`np.zeros_like(binds)` makes an array of truth values; `np.full(len(names), -1)` one of whole numbers.)
... → return _changed(lambda found, names, binds: found == found)(names, binds)
    Every entry is True: the array that you write into holds truth values, like `binds`. `np.full(len(names), -1)` holds
    whole numbers.
... → return [-1] * len(names)
    Every entry is −1: no definition is ever found. Is one ever kept, is it looked up under the same name, and is the
    `return` outside the loop? Print what you have at the first use.
... → binds[:] = True; return binds
    Every entry is True, because you write into `binds`, which holds truth values. `np.full(len(names), -1)` holds whole
    numbers.
""",
    alternatives=[_looking_back, _from(_latest)],
    hints=[
        "Read the program once from left to right. What must you remember of the tokens behind you, to answer at "
        "each use?",
        "Only the place of the latest definition of each name: a dictionary `last`, and `last[name] = i` at a token "
        "that binds.",
        "Begin with `np.full(len(names), -1)`. At a use whose name is in `last`, the distance is `i - last[name]`.",
    ],
)


def _changed(change):
    """A wrong last step, after the right distances."""
    return lambda names, binds: change(np.array(_looking_back(names, binds)), names, binds)


def _past_token_0(names, binds, i):
    """A loop to the left that ends at −1, which Python reads as the last token."""
    k = _latest(names, binds, i)
    return -1 if k is None and binds[-1] and names[-1] == names[i] else k


def _for_unknown(number, bound=-1):
    """number(i) for a name that nothing before token i binds, and `bound` for a token that binds."""

    def wrong(names, binds):
        right = _looking_back(names, binds)
        return [bound if binds[i] else d if d > 0 else number(i) for i, d in enumerate(right)]

    return wrong


def _first(names, binds, i):
    return min((k for k in _places(names, binds, i) if k < i), default=None)


def _last_of_all(names, binds, i):
    return max(_places(names, binds, i), default=None)


def _last_of_all_if_before(names, binds, i):
    return max((k for k in _places(names, binds, i)[-1:] if k < i), default=None)


def _next(names, binds, i):
    return min((k for k in _places(names, binds, i) if k > i), default=None)


def _nearest(names, binds, i):
    return min(_places(names, binds, i), key=lambda k: abs(i - k), default=None)


def _not_token_0(names, binds, i):
    return max((k for k in _places(names, binds, i) if 0 < k < i), default=None)


def _not_the_last_two(names, binds, i):
    return max((k for k in _places(names, binds, i) if k < i - 1), default=None)


def _any_case(names, binds, i):
    return max((k for k in range(i) if binds[k] and names[k].lower() == names[i].lower()), default=None)


def _in_this_function(names, binds, i):
    """To the left as far as the `def`."""
    k = _latest(names, binds, i)
    return None if k is None or "def" in names[k:i] else k


def _same_name(names, binds, i):
    return max((k for k in range(i) if names[k] == names[i]), default=None)


def _same_name_if_bound(names, binds, i):
    k = _same_name(names, binds, i)
    return k if k is not None and binds[k] else None


def _index(names, binds, i):
    return names.index(names[i])


def _index_if_bound(names, binds, i):
    return names.index(names[i]) if binds[names.index(names[i])] else None


def _any_name(names, binds, i):
    return max((k for k in range(i) if binds[k]), default=None)


def _one_remembered(names, binds, i):
    k = _any_name(names, binds, i)
    return k if k is not None and names[k] == names[i] else None


@distance_to_definition.wrong(
    "You took the uses for definitions and the definitions for uses: `binds[i]` is True where token i is a "
    "definition."
)
def _turned_round(names, binds):
    return _distance_to_definition(names, ~binds)
