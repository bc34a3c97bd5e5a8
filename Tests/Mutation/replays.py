"""What a mutant changes on a fixture, found in two ways: by `hindsight verify`, and without it.

Without it: the mutant records the fixture's actions anew, and Python compares the states of both recordings. If the
mutant crashes, the states come from a recording of the actions before, and from `hindsight show`. If it changes the
initial state, they come from `hindsight jump --replayed`, since a replay begins with the recorded state.
"""

import json
import os
import subprocess
import tempfile

from recorded_states import MISSING, Misfit, Recording, applied_patch, lookup, parse, pointer

# A tool that takes longer hangs. A replayed action that takes longer is ended by the tool.
SECONDS, ACTION_SECONDS = 120, 20


class Failure(Exception):
    """The tool did what it should not, whatever the mutant."""


class Fixture:
    def __init__(self, path):
        self.path, self.name = path, os.path.basename(path)
        self.recording = Recording(path)
        self.states = self.recording.kept_states()

    def inputs(self, count=None):
        """The first actions as input for `hindsight record`."""
        payloads = [payload for _, payload, _ in self.recording.actions]
        return "".join(payload + "\n" for payload in payloads[:count])


class Tool:
    """The built tool, with a selected mutant or none."""

    def __init__(self, path, mutant=0, trace=None):
        # The backtrace of a crash would take seconds.
        self.environment = {**os.environ, "HINDSIGHT_MUTANT": str(mutant), "SWIFT_BACKTRACE": "enable=no"}
        if trace:
            self.environment["HINDSIGHT_MUTANT_TRACE"] = trace
        self.path = path

    def run(self, *arguments, input=None):
        return subprocess.run(
            [self.path, *arguments],
            env=self.environment,
            input=input,
            stdin=None if input is not None else subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=SECONDS,
        )

    def json(self, *arguments):
        result = self.run(*arguments, "--json")
        if result.returncode != 0:
            raise Failure(f"{' '.join(arguments)}: exit code {result.returncode}: {result.stderr.strip()}")
        return parse(result.stdout)

    def verdict(self, fixture):
        """The divergence, the crash, or None."""
        result = self.run("verify", "--timeout", str(ACTION_SECONDS), "--json", fixture.path)
        lines = result.stdout.splitlines()
        if len(lines) != 1:
            raise Failure(f"verify printed {len(lines)} lines: {result.stderr.strip()}")
        report = parse(lines[0])
        found = Verdict.of(report)
        if (result.returncode == 0) != (found is None):
            raise Failure(f"verify: exit code {result.returncode} does not fit: {lines[0]}")
        return found


class Verdict:
    """What `hindsight verify` reports first."""

    def __init__(self, seq, reducer, name, path=None, expected=MISSING, got=MISSING, crashed=False):
        self.seq, self.reducer, self.name, self.path = seq, reducer, name, path
        self.expected, self.got, self.crashed = expected, got, crashed

    @classmethod
    def of(cls, report):
        if report["equal"] is True:
            return None
        found = report.get("divergence") or report.get("crash")
        if not found:
            raise Failure(f"verify names no place: {report.get('error')}")
        return cls(
            whole(found["seq"]),
            whole(found["reducer"]),
            found["name"],
            found.get("path"),
            found.get("expected", MISSING),
            found.get("got", MISSING),
            crashed=not report.get("divergence"),
        )

    def __repr__(self):
        return place_text(self.seq, self.reducer, self.name, self.crashed) + (f" at {self.path}" if self.path else "")


class Difference:
    """The first reducer after which the mutant's state is not the recorded one, and both states; or its crash there."""

    def __init__(self, seq, reducer, name, recorded=None, replayed=None, crashed=False):
        self.seq, self.reducer, self.name, self.crashed = seq, reducer, name, crashed
        self.recorded, self.replayed = recorded, replayed

    def __repr__(self):
        return place_text(self.seq, self.reducer, self.name, self.crashed)


def place_text(seq, reducer, name, crashed):
    place = f"action {seq}" + (f", reducer {reducer} ({name})" if reducer else "")
    return ("crash in " if crashed else "") + place


def whole(value):
    return None if value is None else int(value[1])


# MARK: Finding the first difference


def first_difference(tool, fixture):
    with tempfile.TemporaryDirectory(prefix="hindsight-samples-") as scratch:
        try:
            return compare(fixture, replayed_states(tool, fixture, scratch))
        except OtherStart:
            return compare_jumps(tool, fixture)
        except Misfit as misfit:
            raise Failure(f"a patch does not fit: {misfit}") from misfit


class OtherStart(Exception):
    """The mutant has another initial state."""


def compare(fixture, states):
    """`states` are pairs of a position (action and reducer) and a state, or None for a crash there."""
    names = fixture.recording.names
    expected = {
        (seq, len(names) if reducer is None else reducer): (reducer, state) for seq, reducer, state in fixture.states
    }
    count = 0
    for (seq, number), state in states:
        if state is None:
            return Difference(seq, number, names[number], crashed=True)
        if (seq, number) not in expected:
            continue
        count += 1
        reducer, recorded = expected[seq, number]
        if state != recorded:
            if number == 0:
                raise OtherStart
            return Difference(seq, reducer, names.get(reducer), recorded, state)
    if count != len(expected):
        raise Failure(f"{count} of {len(expected)} states of {fixture.name} were compared")
    return None


def replayed_states(tool, fixture, scratch):
    place = os.path.join(scratch, "all.hindsight")
    result = record(tool, fixture, place)
    if result.returncode == 0:
        for seq, reducer, state in Recording(place).states():
            yield (seq, reducer), state
        return
    crashed = tool.json("show", place, "crash")
    seq, last = whole(crashed["crash"]["seq"]), whole(crashed["crash"]["reducer"])
    before = os.path.join(scratch, "before.hindsight")
    result = record(tool, fixture, before, seq - 1)
    if result.returncode != 0:
        raise Failure(f"crashes in action {seq}, and before it the second time: {result.stderr.strip()}")
    state = None
    for position_seq, reducer, state in Recording(before).states():
        yield (position_seq, reducer), state
    for step in crashed["steps"] or []:
        reducer = whole(step["reducer"])
        if reducer < last:
            state = applied_patch(step["patch"] or [], state)
            yield (seq, reducer), state
    yield (seq, last), None


def record(tool, fixture, place, count=None):
    result = tool.run(
        "record", "--app", fixture.recording.app, "--input", "-", place, input=fixture.inputs(count)
    )
    if result.returncode > 0:
        raise Failure(f"record: exit code {result.returncode}: {result.stderr.strip()}")
    return result


def compare_jumps(tool, fixture):
    """Looks for the first differing action, then for the first differing reducer in it."""
    names = fixture.recording.names
    last = [(seq, reducer, state) for seq, reducer, state in fixture.states if reducer in (None, len(names))]
    for seq, reducer, recorded in last:
        state = tool.json("jump", "--replayed", fixture.path, str(seq))
        if state == recorded:
            continue
        for step_seq, step, kept in fixture.states:
            if step_seq == seq and step:
                replayed = tool.json("jump", "--replayed", fixture.path, f"{seq}.{step}")
                if replayed != kept:
                    return Difference(seq, step, names[step], kept, replayed)
        if reducer:
            raise Failure(f"jump {seq} differs from jump {seq}.{reducer}")
        return Difference(seq, None, None, recorded, state)
    return None


# MARK: Judging


def fault(difference, verdict):
    """Why the verdict is wrong, or None."""
    if difference is None:
        return None if verdict is None else f"nothing differs, but verify reports {verdict}"
    if verdict is None:
        return f"not caught: {difference}"
    there = (difference.seq, difference.reducer, difference.name, difference.crashed)
    if there != (verdict.seq, verdict.reducer, verdict.name, verdict.crashed):
        return f"caught elsewhere: {difference}, but verify reports {verdict}"
    if difference.crashed:
        return None
    wrong = path_fault(difference, verdict)
    return wrong and f"caught elsewhere: {verdict}: {wrong}"


def path_fault(difference, verdict):
    """Why the path and the values of a verdict are wrong, or None."""
    names = pointer(verdict.path)
    recorded, replayed = lookup(difference.recorded, names), lookup(difference.replayed, names)
    expected, got = verdict.expected, verdict.got
    parents = [lookup(state, names[:-1]) for state in (difference.recorded, difference.replayed)]
    are_aligned = not (names and is_list(*parents) and len(parents[0]) != len(parents[1]))
    if not are_aligned and (expected is MISSING) != (got is MISSING) and is_moved(*parents, names[-1], expected, got):
        return None
    if not same(expected, recorded):
        return f"expected {text(expected)}, but {text(recorded)} is recorded"
    if not same(got, replayed):
        return f"got {text(got)}, but it is {text(replayed)} in the replayed state"
    if same(recorded, replayed):
        return "the states agree there"
    # Elements of arrays with different counts are whole, since they need not be the same ones.
    if are_aligned and isinstance(recorded, dict) and isinstance(replayed, dict):
        return "only a part of it differs"
    if are_aligned and is_list(recorded, replayed) and len(recorded) == len(replayed):
        return None if sorted(map(repr, recorded)) == sorted(map(repr, replayed)) else "only a part of it differs"
    return None


def is_moved(old, new, name, expected, got):
    """Whether an element was inserted at the place or removed there, so that those after it moved."""
    place = int(name)
    there = lookup(old if got is MISSING else new, [name])
    return old[:place] == new[:place] and same(there, expected if got is MISSING else got)


def is_list(*values):
    return all(isinstance(value, list) for value in values)


def same(left, right):
    if left is MISSING or right is MISSING:
        return left is right
    return left == right


def text(value):
    """A value as JSON, cut off after some characters."""
    written = "nothing" if value is MISSING else json_text(value)
    return written if len(written) <= 200 else written[:200] + "…"


def json_text(value):
    if isinstance(value, tuple):
        return value[1]
    if isinstance(value, dict):
        return "{" + ",".join(f"{json_text(key)}:{json_text(member)}" for key, member in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(json_text, value)) + "]"
    return json.dumps(value, ensure_ascii=False)
