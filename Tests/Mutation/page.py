#!/usr/bin/env python3
"""Mutation tests of the page: plants faults in its scripts, one at a time, and expects Tests/Browser to notice each.

    Tests/Mutation/page.py                 every fault
    Tests/Mutation/page.py --only WORD …   the faults whose texts have one of the words
    Tests/Mutation/page.py --list          lists the faults without running the tests

HINDSIGHT_TOOL is the tool that makes the pages; Tests/Browser needs Chromium and Playwright: see .make/browser. A fault
is planted in the page that the tool has made, so nothing is built. The test named beside it must fail; first, all these
tests must pass without a fault.

The exit code is 1 if a fault is not noticed.
"""

import argparse
import base64
import hashlib
import os
import pathlib
import subprocess
import sys

PACKAGE = pathlib.Path(__file__).resolve().parents[2]
PAGE = PACKAGE / "Sources/CPage/Page"
TESTS = PACKAGE / "Tests/Browser"

TIMELINE, TEXTS, FILTERS = "test_drawn.TimelineTests.", "test_drawn.TextTests.", "test_drawn.FilterTests."
SHOWN, ANSWERS, KEYS = "test_shown.ShownTests.", "test_states.AnswerTests.", "test_views.KeyboardTests."
MARKS = SHOWN + "test_elements_that_stay_have_no_mark"
CRASH = "test_states.CrashTests."
HISTORY = ANSWERS + "test_a_place_in_an_array_is_changed_by_the_actions_that_change_it"

# What is wrong, the script, the text that becomes another one, and the test that must notice.
FAULTS = [
    ("a chart is upside down", "pins.js", "1 - (level - pin.low) / span", "(level - pin.low) / span",
     TIMELINE + "test_a_pinned_number_rises_where_it_rises"),
    ("a pinned value has the band of the change before", "pins.js", "return this.levels.values[index + 1];", "return this.levels.values[index];",
     TIMELINE + "test_a_pinned_number_rises_where_it_rises"),
    ("the playhead is 30 px off", "timeline.js", "const x = Math.round(this.x(view.number + shift));", "const x = 30 + Math.round(this.x(view.number + shift));",
     TIMELINE + "test_the_playhead_stands_at_the_position"),
    ("a click goes to another action", "timeline.js", "Math.round(this.placeAt(x))", "Math.round(this.placeAt(x) - 2)",
     TIMELINE + "test_a_click_goes_to_the_action_under_the_pointer"),
    ("bars hang from the top", "timeline.js", "Timeline.bar(g, x, Timeline.durationsFloor - this.tall(ns), width,", "Timeline.bar(g, x, Timeline.durationsFloor - Timeline.durationsHeight, width,",
     TIMELINE + "test_a_bar_of_a_longer_action_is_taller"),
    ("all bars have one height", "timeline.js", "(Math.log(Math.max(durations.shortest, ns)) - low)", "(high - low)",
     TIMELINE + "test_a_bar_of_a_longer_action_is_taller"),
    ("all actions have one colour", "timeline.js", "palette.types[data.typeIndexOf(number) % Palette.typeCount];\n        g.globalAlpha", "palette.types[0];\n        g.globalAlpha",
     TIMELINE + "test_actions_have_the_colours_of_their_types_and_are_low_if_they_changed_nothing"),
    ("actions without a change are as tall as others", "timeline.js", "isQuiet ? Timeline.actionsHeight * 0.45 : Timeline.actionsHeight", "Timeline.actionsHeight",
     TIMELINE + "test_actions_have_the_colours_of_their_types_and_are_low_if_they_changed_nothing"),
    ("the timeline has no notes", "timeline.js", "for (const note of data.notes) {", "for (const note of []) {",
     TIMELINE + "test_notes_and_the_mark_are_drawn_at_their_actions"),
    ("a note stands one action late", "timeline.js", "flag(note.number, palette.amber", "flag(note.number + 1, palette.amber",
     TIMELINE + "test_notes_and_the_mark_are_drawn_at_their_actions"),
    ("many notes are left out", "timeline.js", "if (isCrowded && x === last) continue;", "if (isCrowded) continue;",
     TIMELINE + "test_many_notes_are_drawn"),
    ("the timeline has no mark", "timeline.js", "        if (mark) {", "        if (!mark) {\n            return;\n        } else if (false) {",
     TIMELINE + "test_notes_and_the_mark_are_drawn_at_their_actions"),
    ("the list and the inspector have no notes", "app.js", "return this.notes.get(number) ?? [];", "return [];",
     TEXTS + "test_notes_are_in_the_list_and_in_the_inspector"),
    ("durations are ten times as long", "format.js", "['ms', 1e6]", "['ms', 1e5]",
     TEXTS + "test_durations_read_as_they_are"),
    ("a list shows ten times the durations", "actions.js", "Format.duration(data.durationOf(number))", "Format.duration(10 * data.durationOf(number))",
     TEXTS + "test_durations_and_times_are_those_of_the_tool"),
    ("an action took what the one before took", "recording.js", "this.rowDuration.values[number - this.first - 1]", "this.rowDuration.values[number - this.first - 2]",
     TEXTS + "test_durations_and_times_are_those_of_the_tool"),
    ("the median is the 10th percentile", "inspector.js", "median: at(0.5)", "median: at(0.1)",
     TEXTS + "test_medians_and_totals_are_those_of_the_durations"),
    ("p99 is the longest", "inspector.js", "p99: at(0.99)", "p99: at(1)",
     TEXTS + "test_medians_and_totals_are_those_of_the_durations"),
    ("a change shows new before old", "diff.js", "content: replaced(old, value)", "content: replaced(value, old)",
     TEXTS + "test_old_values_stand_before_new_ones"),
    ("the tree shows the new value as the old one", "tree.js", ": mark.old;", ": row.value;",
     TEXTS + "test_old_values_stand_before_new_ones"),
    ("added and removed are swapped", "diff.js", "case 'add': return [{ kind: 'added'", "case 'add': return [{ kind: 'removed'",
     TEXTS + "test_old_values_stand_before_new_ones"),
    ("the history is off by one", "pins.js", "return index < 0 ? this.data.first : this.numbers.values[index];", "return index < 0 ? this.data.first : this.numbers.values[index] - 1;",
     TEXTS + "test_the_history_of_a_value_is_that_of_the_tool"),
    ("the current row of the history is the one before", "inspector.js", "const now = pin.indexAtPosition(app.view);", "const now = pin.indexAtPosition(app.view) - 1;",
     TEXTS + "test_the_history_of_a_value_is_that_of_the_tool"),
    ("the filter by type is inert", "questions.js", "rows = rows.filter((row) => isKept[this.rowType.values[row]]);", "",
     FILTERS + "test_each_filter_lists_the_actions_that_meet_it"),
    ("the filter by duration is inert", "questions.js", "this.rowDuration.values[row] >= minDuration", "this.rowDuration.values[row] >= 0",
     FILTERS + "test_each_filter_lists_the_actions_that_meet_it"),
    ("the filter by reducer is inert", "questions.js", ".includes(reducer);", ".length >= 0;",
     FILTERS + "test_each_filter_lists_the_actions_that_meet_it"),
    ("the filter by path is inert", "questions.js", "rows = rows.filter((row) => isChanged[row]);", "",
     FILTERS + "test_each_filter_lists_the_actions_that_meet_it"),
    ("the filter of unchanged actions is inert", "questions.js", "if (changed) rows", "if (false) rows",
     FILTERS + "test_each_filter_lists_the_actions_that_meet_it"),
    ("the filter of problems is inert", "questions.js", "if (problems) {", "if (false) {",
     FILTERS + "test_each_filter_lists_the_actions_that_meet_it"),
    ("a box of the filters is inert", "actions.js", "change({ [name]: box.checked ? value : undefined })", "undefined",
     FILTERS + "test_the_controls_set_the_filters"),
    ("equal actions never fold", "actions.js", "static shortestFold = 6;", "static shortestFold = 1e9;",
     FILTERS + "test_quick_equal_actions_fold"),
    ("insertions leave the marks where they are", "marks.js", "index - remove.length + inserted), child)", "index), child)", MARKS),
    ("the tree counts places and not changes", "marks.js", "remove.length + insert.length : 1)", "1 : 1)", MARKS),
    ("removed elements are not shown", "marks.js", "if (place.removed.length > 0) this.removed", "if (false) this.removed", MARKS),
    ("elements that move are not followed", "questions.js", "around ||= relation.of(at) === Relation.around;", "", HISTORY),
    ("a value that is written again is a change", "following.js", "if (op === 'replace') return !isSame(old, value);", "if (op === 'replace') return true;",
     "test_states.AnswerTests.test_a_value_that_is_written_again_is_no_change"),
    ("computed steps lead to the state after the action", "recording.js", "bits ^= flags.EFFECT | flags.COMPUTED;", "bits |= flags.COMPUTED;",
     CRASH + "test_states_before_the_crash_are_those_that_the_tool_computes"),
    ("a filter by path leaves out computed steps", "questions.js", "if (!(bits & (flags.KNOWN | flags.COMPUTED))) continue;", "if (!(bits & flags.KNOWN)) continue;",
     CRASH + "test_answers_have_the_computed_steps"),
    ("the page opens after the action of the crash", "app.js", "return data.lastIn(Math.max(data.first, Math.min(data.last, number)));",
     "return { number: Math.max(data.first, Math.min(data.last, number)), reducer: null };",
     CRASH + "test_the_page_opens_at_the_last_computed_step_and_says_that_it_was_computed"),
]  # fmt: skip


def planted(page, fault):
    """The page with a fault: another script, which the policy allows instead of the one that was there."""
    _, name, old, new, _ = fault
    script = (PAGE / name).read_text(encoding="utf-8")
    assert script.count(old) == 1, f"{name} has this {script.count(old)} times: {old}"
    start = page.rindex("<script>") + len("<script>")
    whole = page[start : page.index("</script>", start)]
    assert whole.count(script) == 1, f"the page has another {name}: build the tool again"
    other = whole.replace(script, script.replace(old, new))
    return page.replace(whole, other).replace(source(whole), source(other))


def source(script):
    return "'sha256-" + base64.b64encode(hashlib.sha256(script.encode()).digest()).decode() + "'"


def view(number, arguments):
    """Makes a page as `hindsight view` does, with a fault. Tests/Browser calls this."""
    done = subprocess.run([os.environ["HINDSIGHT_TOOL"], "view", *arguments])
    if done.returncode == 0:
        page = pathlib.Path(arguments[arguments.index("-o") + 1])
        page.write_bytes(planted(page.read_bytes().decode(), FAULTS[number]).encode())
    return done.returncode


def passes(tests, number=None):
    environment = dict(os.environ)
    if number is not None:
        environment["HINDSIGHT_VIEW"] = f"{sys.executable} {pathlib.Path(__file__).resolve()} --view {number}"
    run = subprocess.run([sys.executable, "-m", "unittest", "-f", *tests], cwd=TESTS, env=environment, capture_output=True, text=True)
    # A page that does not open proves nothing.
    return run.returncode == 0, run.stderr


def main():
    if sys.argv[1:2] == ["--view"]:
        return view(int(sys.argv[2]), sys.argv[3:])
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="+", default=[])
    parser.add_argument("--list", action="store_true")
    options = parser.parse_args()
    chosen = [it for it, fault in enumerate(FAULTS) if not options.only or any(word in " ".join(fault[:2]) for word in options.only)]
    if options.list:
        for number in chosen:
            print(f"{FAULTS[number][1]}: {FAULTS[number][0]}")
        return 0
    is_fine, output = passes(sorted({FAULTS[number][4] for number in chosen}))
    if not is_fine:
        print(output, "The tests fail without a fault.", sep="\n", file=sys.stderr)
        return 1
    missed = 0
    for number in chosen:
        what, name, _, _, test = FAULTS[number]
        is_missed, output = passes([test], number)
        is_broken = "SyntaxError" in output or "CalledProcessError" in output
        missed += is_missed or is_broken
        print(f"{'BROKEN' if is_broken else 'MISSED' if is_missed else 'noticed':8} {name}: {what}", flush=True)
    print(f"{len(chosen) - missed} of {len(chosen)} faults were noticed.")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
