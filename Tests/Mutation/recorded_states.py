"""The states in a recording, read without the tool: with SQLite, JSON, and patches as HindsightTree documents them.

Numbers are pairs of "number" and their text, so that 1, 1.0 and true differ.
"""

import copy
import json
import sqlite3
import urllib.parse

MISSING = object()


class Misfit(Exception):
    """A patch that does not fit the state."""


def parse(text):
    return json.loads(text, parse_int=number, parse_float=number, parse_constant=number)


def number(text):
    return ("number", text)


class Recording:
    """A recording's actions and its states after each reducer."""

    def __init__(self, path):
        place = urllib.parse.quote(path)
        with sqlite3.connect(f"file:{place}?mode=ro&immutable=1", uri=True) as database:
            self.app = dict(database.execute("SELECT key, value FROM recording"))["app"]
            self.names = dict(database.execute("SELECT id, name FROM reducer WHERE id > 0"))
            self.keyframes = dict(database.execute("SELECT seq, state FROM keyframe"))
            self.actions = list(database.execute("SELECT seq, payload, steps FROM action ORDER BY seq"))
            # The runs of actions whose states are not recorded exactly: only the state after each run is known.
            self.runs = list(database.execute("SELECT first, last FROM run"))
        database.close()
        self.start = min(self.keyframes)

    def states(self):
        """Yields number of action, number of reducer (None: after a whole run), and a state, which must not be kept.

        The first one is the initial state, with reducer 0.
        """
        state = parse(self.keyframes[self.start])
        yield self.start, 0, state
        for seq, _, steps in self.actions:
            if seq <= self.start:
                continue
            run = next((run for run in self.runs if run[0] <= seq <= run[1]), None)
            if run is None:
                for reducer, entry in enumerate(parse(steps), 1):
                    state = applied(entry[1:] if isinstance(entry, list) else [], state)
                    yield seq, reducer, state
            elif seq == run[1]:
                if seq in self.keyframes:
                    state = parse(self.keyframes[seq])
                else:
                    (entry,) = parse(steps)
                    state = applied(entry[1:], state)
                yield seq, None, state

    def kept_states(self):
        return [(seq, reducer, copy.deepcopy(state)) for seq, reducer, state in self.states()]


# MARK: Patches


def pointer(path):
    """The names in a JSON pointer."""
    return [name.replace("~1", "/").replace("~0", "~") for name in path.split("/")[1:]]


def lookup(state, names):
    for name in names:
        if isinstance(state, dict) and name in state:
            state = state[name]
        elif isinstance(state, list) and name.isdigit() and int(name) < len(state):
            state = state[int(name)]
        else:
            return MISSING
    return state


def applied(operations, state):
    """The state after operations as recordings hold them. Changes the given one."""
    for operation in operations:
        code, names = operation[0][0], pointer(operation[0][1:])
        values = [int(value[1]) if place == 3 else value for place, value in enumerate(operation)][1:]
        if code in "ad":
            state = changed(code, names, values[0], MISSING, None, state)
        else:
            state = changed(code, names, values[0], values[1], values[2] if len(values) > 2 else None, state)
    return state


def applied_patch(operations, state):
    """The state after the operations of a patch as the tool prints it. Changes the given state."""
    for operation in operations:
        names, at = pointer(operation["path"]), operation.get("at")
        at = int(at[1]) if at else None
        match operation["op"]:
            case "add":
                state = changed("a", names, operation["value"], MISSING, at, state)
            case "remove":
                state = changed("d", names, operation["old"], MISSING, at, state)
            case "replace":
                state = changed("r", names, operation["old"], operation["value"], at, state)
            case "splice" | "edit" as name:
                state = changed(name[0], names, operation["remove"], operation["insert"], at, state)
            case other:
                raise Misfit(f"unknown operation {other}")
    return state


def changed(code, names, first, second, at, state):
    """The state after one operation: add, delete, replace, splice or edit. `at` is a place in an array or a string."""
    root = {"": state}
    *parents, name = ["", *names]
    container = lookup(root, parents)
    if code == "a":
        if isinstance(container, list):
            container.insert(int(name), first)
        elif isinstance(container, dict) and name not in container:
            container[name] = first
        else:
            raise Misfit(f"there is something at {names} already")
        return root[""]
    here = lookup(container, [name])
    expects(here is not MISSING, names)
    key = int(name) if isinstance(container, list) else name
    if code == "d":
        expects(here == first, names)
        del container[key]
    elif code == "r":
        expects(here == first, names)
        container[key] = second
    elif code == "s":
        expects(here[at : at + len(first)] == first, names)
        here[at : at + len(first)] = second
    elif code == "e":
        data, old = here.encode(), first.encode()
        expects(data[at : at + len(old)] == old, names)
        container[key] = (data[:at] + second.encode() + data[at + len(old) :]).decode()
    else:
        raise Misfit(f"unknown operation {code}")
    return root[""]


def expects(fits, names):
    if not fits:
        raise Misfit(f"the recorded old value is not at {names}")
