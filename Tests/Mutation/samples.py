#!/usr/bin/env python3
"""Mutation tests of `hindsight verify`: breaks the samples' reducers, one place at a time, and verifies Fixtures.

    Tests/Mutation/samples.py                every mutant
    Tests/Mutation/samples.py --sample 20    the same 20 mutants each time
    Tests/Mutation/samples.py --only ID …    these; an ID may be a prefix
    Tests/Mutation/samples.py --list         lists the mutants without running them
    Tests/Mutation/samples.py --self-test    changes fixtures and verdicts instead of reducers
    Tests/Mutation/samples.py --skip-build   runs the last build

All mutants are in one copy of the package, in build/mutation-samples, which is built once. An environment variable
selects one. For each mutant, Python finds the first action and reducer of each fixture after which the state differs
from the recorded one: see replays.py. `hindsight verify` must name that action and reducer, and a path at which both
states differ, with both values. If nothing differs, it must report no divergence.

The exit code is 1 if a verdict is wrong, or if fewer than 200 mutants changed a fixture's states and were caught.
"""

import argparse
import concurrent.futures
import json
import os
import subprocess
import sys
import tempfile
import time

import builds
import fakes
import replays
import sample_operators
import schemata

PACKAGE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
TARGET = os.path.join(PACKAGE, "build", "mutation-samples")

# The samples' sessions, and sessions of todo with states that were not recorded. The titles in partial.hindsight are
# redacted, so nothing but the tool can replay it.
FIXTURES = ["todo", "todo-limits", "checkout", "checkout-rules", "notepad", "bridged", "doubtful", "escapes"]

# The fewest mutants that a whole run must catch.
LEAST = 200

RIGHT, WRONG, SAME, UNREACHED = "caught at the right place", "WRONG VERDICT", "no change on the fixtures", "not reached"


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--only", nargs="+", metavar="ID")
    parser.add_argument("--sample", type=int, metavar="N")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, metavar="N", help="mutants at a time")
    parser.add_argument("--build-only", action="store_true")
    parser.add_argument("--skip-build", action="store_true")
    parser.add_argument("--self-test", action="store_true")
    parser.add_argument("--tool", metavar="PATH", help="the tool of --self-test, instead of the one that is built")
    return parser.parse_args()


def chosen(numbered, options):
    if options.only:
        return [pair for pair in numbered if pair[1].id.startswith(tuple(options.only))]
    if options.sample:
        return sorted(numbered, key=lambda pair: pair[1].id.rsplit(":", 1)[1])[: options.sample]
    return numbered


# MARK: Running


def fixtures():
    return [replays.Fixture(os.path.join(PACKAGE, "Fixtures", f"{name}.hindsight")) for name in FIXTURES]


def check(tool, fixture):
    """Requires that the reducers without a mutant make the recorded states."""
    difference, verdict = replays.first_difference(tool, fixture), tool.verdict(fixture)
    if difference or verdict:
        raise schemata.Failure(
            f"{fixture.name} does not have the states of the present samples: found {difference},\n"
            f"verify says {verdict}. Run make fixtures if that is intended."
        )


def reached(path, fixture, count):
    """The numbers of the mutants that a replay of the fixture reaches."""
    with tempfile.NamedTemporaryFile() as trace:
        trace.truncate(schemata.TRACE_BYTES)
        replays.Tool(path, trace=trace.name).verdict(fixture)
        with open(trace.name, "rb") as file:
            data = file.read()
    return {number for number in range(1, count + 1) if data[number]}


class Trial:
    """A mutant's results: by fixture, the difference, the verdict, and why the verdict is wrong."""

    def __init__(self, mutant):
        self.mutant, self.results = mutant, []

    @property
    def outcome(self):
        if any(fault for _, _, _, fault in self.results):
            return WRONG
        if any(difference for _, difference, _, _ in self.results):
            return RIGHT
        return SAME if self.results else UNREACHED

    def lines(self):
        for fixture, difference, verdict, fault in self.results:
            if fault or difference:
                yield f"          {fixture}: {fault or verdict}"

    def to_json(self):
        return {
            "outcome": self.outcome,
            "fixtures": {name: str(fault or verdict or "equal") for name, _, verdict, fault in self.results},
        }


def attempt(path, number, mutant, recordings, reaching):
    trial, tool = Trial(mutant), replays.Tool(path, number)
    for fixture in recordings:
        if number not in reaching[fixture.name]:
            continue
        difference = verdict = None
        try:
            difference = replays.first_difference(tool, fixture)
            verdict = tool.verdict(fixture)
            fault = replays.fault(difference, verdict)
        except (replays.Failure, subprocess.TimeoutExpired) as failure:
            fault = f"{type(failure).__name__}: {failure}"
        trial.results.append((fixture.name, difference, verdict, fault))
    return trial


def run(path, numbered, recordings, jobs, count):
    reaching = {}
    for fixture in recordings:
        check(replays.Tool(path), fixture)
        reaching[fixture.name] = reached(path, fixture, count)
    print(f"{len(recordings)} fixtures; without a mutant, all are equal.", flush=True)
    begun, trials = time.monotonic(), []
    with concurrent.futures.ThreadPoolExecutor(max(1, jobs)) as pool:
        for trial in pool.map(lambda pair: attempt(path, *pair, recordings, reaching), numbered):
            trials.append(trial)
            if trial.outcome == WRONG:
                print(f"{trial.outcome}  {trial.mutant}", *trial.lines(), sep="\n", flush=True)
    print(f"{len(trials)} mutants in {time.monotonic() - begun:.0f} s.")
    return trials


# MARK: Reporting


def report(trials, is_whole):
    for outcome in (SAME, UNREACHED):
        listed = [trial.mutant for trial in trials if trial.outcome == outcome]
        if listed:
            print(f"\n{outcome}:")
            for mutant in listed:
                print(f"  {mutant}")
    wrong = [trial for trial in trials if trial.outcome == WRONG]
    if wrong:
        print("\nThe verdict on these is wrong:")
        for trial in wrong:
            print(f"  {trial.mutant}", *trial.lines(), sep="\n")
    print()
    table({trial.mutant.id: trial.mutant.source.path.split("/")[2] for trial in trials}, trials)
    print()
    table({trial.mutant.id: trial.mutant.kind for trial in trials}, trials)
    right = sum(trial.outcome == RIGHT for trial in trials)
    if is_whole and right < LEAST:
        print(f"\nOnly {right} mutants were caught; {LEAST} are needed.")
        return 1
    return 1 if wrong else 0


def table(groups, trials):
    """Prints the number of mutants by group and outcome."""
    outcomes = [RIGHT, SAME, UNREACHED, WRONG]
    width = max(map(len, groups.values()), default=0)
    print(f"{'':{width}}  " + "  ".join(outcomes) + "  all")
    for group in [*sorted(set(groups.values())), None]:
        own = [trial.outcome for trial in trials if group in (None, groups[trial.mutant.id])]
        counts = "  ".join(f"{own.count(outcome):{len(outcome)}}" for outcome in outcomes)
        print(f"{group or 'all':{width}}  {counts}  {len(own):3}")


def save(trials):
    with open(os.path.join(TARGET, "results.json"), "w", encoding="utf-8") as file:
        json.dump({trial.mutant.id: trial.to_json() for trial in trials}, file, indent=1, ensure_ascii=False)


def main():
    options = arguments()
    if options.self_test and options.tool:
        return fakes.run(options.tool, fixtures()[:5])
    mutants = sample_operators.find_all(PACKAGE)
    if options.list:
        for _, mutant in chosen(list(enumerate(mutants, 1)), options):
            print(mutant)
        print(f"{len(mutants)} mutants, of which some do not compile")
        return 0
    build = builds.Build(
        PACKAGE,
        TARGET,
        checked=["--target", "Samples"],
        product=["--product", "hindsight"],
        parts=sample_operators.PARTS,
    )
    print(f"{len(mutants)} mutants; building.", flush=True)
    numbered = build.last(mutants) if options.skip_build else build.make(mutants)
    if options.build_only:
        return 0
    path = os.path.join(build.products(), "hindsight")
    recordings = fixtures()
    if options.self_test:
        return fakes.run(path, recordings[:5])
    tried = chosen(numbered, options)
    trials = run(path, tried, recordings, options.jobs, max(number for number, _ in numbered))
    save(trials)
    return report(trials, is_whole=len(tried) == len(numbered))


if __name__ == "__main__":
    try:
        sys.exit(main())
    except schemata.Failure as failure:
        print(failure, file=sys.stderr)
        sys.exit(2)
