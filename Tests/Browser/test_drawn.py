"""What the page draws and writes: each figure against the recording's, or against the tool's."""

import json
import re
import unittest

from browser import FIXTURES, SCRATCH, BrowserTest, make_page, settle, tool
from recordings import line, write_clock, write_measured
from views import go

# The colours of a column of pixels of a canvas, from the top.
COLUMN = """
([selector, x]) => {
    const canvas = document.querySelector(selector);
    const ratio = canvas.width / canvas.clientWidth;
    // A copy, of which the browser knows that it is read.
    const copy = new OffscreenCanvas(1, canvas.height).getContext('2d', { willReadFrequently: true });
    copy.drawImage(canvas, -Math.round(x * ratio), 0);
    const { data } = copy.getImageData(0, 0, 1, canvas.height);
    const colors = [];
    for (let y = 0; y < canvas.clientHeight; y += 1) {
        const at = 4 * Math.round(y * ratio);
        colors.push(data[at + 3] === 0 ? '' : `rgb(${data[at]}, ${data[at + 1]}, ${data[at + 2]})`);
    }
    return colors;
}
"""
# Where the page draws, in CSS pixels.
PLACES = """
() => {
    const { timeline, palette, data } = hindsight;
    const { ruler, actionsHeight, durationsHeight, gap, pinHeight } = Timeline;
    return { width: timeline.slider.clientWidth, ruler, actions: ruler + actionsHeight, durations: ruler + actionsHeight + gap + durationsHeight,
        pins: timeline.pinsTop, pinHeight: pinHeight + gap, first: data.first, last: data.last, colors: palette };
}
"""
BASE, OVER = "#slider .base", "#slider .over"


class DrawnTest(BrowserTest):
    def open_measured(self, fragment=""):
        tab = self.open(make_page(write_measured(SCRATCH / "measured.jsonl")), fragment)
        self.places = tab.evaluate(PLACES)
        return tab

    def x(self, number):
        """The middle of an action on a timeline that shows all: each has as much room."""
        first, last = self.places["first"], self.places["last"]
        return (number - first + 0.5) / (last - first + 1) * self.places["width"]

    def column(self, tab, canvas, number, shift=0):
        return tab.evaluate(COLUMN, [canvas, self.x(number) + shift])

    def color(self, name):
        return self.places["colors"][name]


class TimelineTests(DrawnTest):
    def test_the_playhead_stands_at_the_position(self):
        tab = self.open_measured()
        for number in (0, 1, 37, 99, 100):
            go(tab, f"#p={number}")
            settle(tab)
            found = [shift for shift in range(-40, 41) if 0 <= self.x(number) + shift < self.places["width"]
                     and self.column(tab, OVER, number, shift)[60] == self.color("accent")]  # fmt: skip
            self.assertTrue(found and max(map(abs, found)) <= 2, f"{number}: {found}")

    def test_a_click_goes_to_the_action_under_the_pointer(self):
        tab = self.open_measured()
        box = tab.locator("#slider").bounding_box()
        for number in (3, 50, 97):
            tab.mouse.click(box["x"] + self.x(number), box["y"] + 40)
            settle(tab)
            self.assertEqual(tab.locator(".readout").text_content(), str(number))

    def test_a_bar_of_a_longer_action_is_taller(self):
        tab = self.open_measured()
        heights = []
        for number in (1, 4, 16, 64, 99):
            column = self.column(tab, BASE, number)[self.places["actions"] : self.places["durations"]]
            self.assertEqual(column[-1], self.color("quiet"), "bars stand on the floor")
            heights.append(column.count(self.color("quiet")))
        self.assertEqual(heights, sorted(set(heights)))

    def test_actions_have_the_colours_of_their_types_and_are_low_if_they_changed_nothing(self):
        tab = self.open_measured()
        top, floor = self.places["ruler"] + 3, self.places["actions"] - 3
        self.assertEqual(self.column(tab, BASE, 5)[top], self.color("types")[0])
        self.assertNotEqual(self.column(tab, BASE, 10)[top], self.color("types")[1])
        self.assertNotIn(self.column(tab, BASE, 10)[floor], ("", self.column(tab, BASE, 10)[top]))
        tab = self.open(make_page(write_clock(SCRATCH / "three.jsonl", [1, 2, 3], ["a", "b", "c"])))
        self.places = tab.evaluate(PLACES)
        colors = [self.column(tab, BASE, number)[top] for number in (1, 2, 3)]
        self.assertEqual(colors, self.color("types")[:3])

    def test_notes_and_the_mark_are_drawn_at_their_actions(self):
        with_notes = self.open_measured("#p=50&d=30")
        recording = write_measured(SCRATCH / "quiet.jsonl", notes=False)
        without = self.open(make_page(recording), "#p=50")
        for number, shift, rows, color in ((20, 0, [16], "amber"), (80, 0, [16], "amber"), (20, 3, [5], "amber"), (30, 0, range(30, 60), "text")):
            with self.subTest(number=number, color=color):
                colors = [
                    {self.column(tab, BASE, number, shift + by)[y] for by in (-1, 0, 1) for y in rows} for tab in (with_notes, without)
                ]
                self.assertIn(self.color(color), colors[0])
                self.assertNotIn(self.color(color), colors[1])

    def test_many_notes_are_drawn(self):
        seconds = range(1, 101)
        recording = write_clock(SCRATCH / "notes.jsonl", seconds)
        rows = recording.read_text(encoding="utf-8").splitlines(keepends=True)
        for number in range(100, 0, -1):
            rows.insert(number + 1, line({"note": f"n{number}", "text": f"n{number}", "at": json.loads(rows[number])["at"]}))
        noted = SCRATCH / "noted.jsonl"
        noted.write_text("".join(rows), encoding="utf-8")
        tab = self.open(make_page(noted), "#p=50")
        self.places = tab.evaluate(PLACES)
        for number in (2, 40, 99):
            colors = {self.column(tab, BASE, number, by)[17] for by in (-1, 0, 1)}
            self.assertIn(self.color("amber"), colors, number)

    def test_a_pinned_number_rises_where_it_rises(self):
        tab = self.open_measured("#pin=/count&pin=/isOn")
        tab.wait_for_function("() => hindsight.timeline.pins.every((pin) => pin.isReady)")
        settle(tab)
        top = self.places["pins"]
        tops = []
        for number in (25, 45, 65, 85):
            column = self.column(tab, BASE, number)[top : top + self.places["pinHeight"] - 5]
            ground = column[1]
            tops.append(next(y for y, color in enumerate(column) if color not in (ground, "")))
        self.assertEqual(tops, sorted(set(tops), reverse=True))
        # Of other values, each has a band from its change to the next.
        middle = top + self.places["pinHeight"] + 17
        self.assertEqual(self.column(tab, BASE, 30)[middle], self.color("line"))
        self.assertNotEqual(self.column(tab, BASE, 75)[middle], self.color("line"))
        self.assertEqual(self.column(tab, BASE, 75)[middle], self.column(tab, BASE, 90)[middle])
        labels = tab.locator(".track-value").all_inner_texts()
        self.assertEqual(labels, ["90", "true"])
        go(tab, "#p=50&pin=/count&pin=/isOn")
        tab.wait_for_function("() => [...document.querySelectorAll('.track-value')].map((it) => it.textContent).join() === '45,false'")

    def test_the_tip_says_what_is_under_the_pointer(self):
        tab = self.open_measured("#pin=/count")
        tab.wait_for_function("() => hindsight.timeline.pins[0].isReady")
        box = tab.locator("#slider").bounding_box()
        tab.mouse.move(box["x"] + self.x(20), box["y"] + self.places["pins"] + 10)
        settle(tab)
        tip = " ".join(tab.locator(".tip").inner_text().split())
        for part in ("rest 20", "took 20 µs", "text of 20", "/count = 18"):
            self.assertIn(part, tip)


class TextTests(DrawnTest):
    def test_durations_and_times_are_those_of_the_tool(self):
        recording = FIXTURES / "checkout.hindsight"
        tab = self.open(make_page(recording), "#fold=0", viewport={"width": 1440, "height": 4000})
        printed = [re.match(r" *(\d+)  (\S+)  .*?(\S+ \S+)$", row) for row in tool("log", recording).splitlines()]
        rows = tab.locator("#action-list .row.action").all_inner_texts()
        shown = {row.split()[0]: " ".join(row.split()) for row in rows}
        for match in filter(None, printed):
            self.assertTrue(shown[match[1]].endswith(" " + match[3]), f"{shown[match[1]]} has not {match[3]}")
        for number in (1, 12, 40):
            go(tab, f"#p={number}")
            settle(tab)
            facts = tab.locator("#inspector-body .meta").inner_text()
            took = re.search(r"^  took +(.+)$", tool("show", recording, number), re.M)[1]
            self.assertIn(f"Took\n{took}\n", facts)
            lanes = tab.locator(".lane .lane-time").all_inner_texts()
            steps = json.loads(tool("show", recording, number, "--json").splitlines()[0])["steps"]
            self.assertEqual(lanes, [tab.evaluate("(ns) => Format.duration(ns)", step["duration"]) for step in steps])

    def test_durations_read_as_they_are(self):
        tab = self.open_measured()
        for ns, text in ((838, "838 ns"), (2900, "2.9 µs"), (14_000_000, "14 ms"), (1_500_000_000, "1.5 s"), (999_600, "1,000 µs"), (9_960, "10 µs"), (125 * 10**9, "02:05.000")):
            self.assertEqual(tab.evaluate("(ns) => Format.duration(ns)", ns), text)

    def test_medians_and_totals_are_those_of_the_durations(self):
        tab = self.open_measured("#tab=timing")
        tab.wait_for_selector(".timing")
        tables = [
            [row.split() for row in table.locator("tbody tr").all_inner_texts()] for table in tab.locator(".timing").all()
        ]
        # Of 1 to 100 µs: nine tenths are the first reducer's. The tens, 10 to 100 µs, are of another type.
        self.assertEqual(tables[0], ["count 100 45 µs 89 µs 4.5 ms".split(), "switch 100 5.0 µs 9.9 µs 505 µs".split()])
        self.assertEqual(tables[1], ["work 90 49 µs 99 µs 4.5 ms".split(), "rest 10 50 µs 100 µs 550 µs".split()])

    def test_old_values_stand_before_new_ones(self):
        recording = FIXTURES / "checkout.hindsight"
        tab = self.open(make_page(recording), viewport={"width": 1440, "height": 6000})
        for mark, place in ((3, 12), (12, 36)):
            with self.subTest(mark=mark, position=place):
                go(tab, f"#p={place}&d={mark}")
                settle(tab)
                self.compare_changes(tab, recording, mark, place)

    def compare_changes(self, tab, recording, mark, place):
        shown = [" ".join(it.split()) for it in tab.locator("#inspector-body .change").all_inner_texts()]
        lines = [" ".join(it.split()) for it in tool("diff", recording, mark, place).splitlines() if not it.startswith("  unchanged")]
        signs = str.maketrans("−", "-")
        simple = [it for it in lines if "[-" not in it and "{" not in it]
        self.assertGreater(len(simple), 10)
        for text in simple:
            self.assertIn(text, [it.translate(signs) for it in shown])
        # The tree says the same.
        tree = {" ".join(it.split()) for it in tab.locator("#state-tree .is-changed").all_inner_texts()}
        changed = [it.removeprefix("~ ") for it in simple if it.startswith("~ ") and len(it) < 60]
        for text in changed:
            path, _, values = text.partition(" ")
            self.assertIn(f"{path.rpartition('/')[2]} {values} changed", tree)
        for name in ("added", "removed"):
            for text in tab.locator(f"#state-tree .is-{name}").all_inner_texts():
                self.assertTrue(text.rstrip().endswith(name), text)

    def test_the_history_of_a_value_is_that_of_the_tool(self):
        recording = FIXTURES / "checkout.hindsight"
        tab = self.open(make_page(recording), "#p=20&path=/cart/totals/gross&tab=value", viewport={"width": 1440, "height": 3000})
        tab.wait_for_selector(".history-row")
        changes = [json.loads(it) for it in tool("history", recording, "/cart/totals/gross", "--json", "--no-index").splitlines()]
        self.assertIn(f"{len(changes)} changes", tab.locator("#inspector-body").inner_text())
        rows = [row.split() for row in tab.locator(".history-row").all_inner_texts()]
        expected = [["0", tab.evaluate("() => textOf(hindsight.data.value(0, '/cart/totals/gross'), { plain: true })"), "start"]]
        expected += [[str(it["seq"]), f"{it['new']:g}", it["type"]] for it in changes]
        self.assertEqual(rows, expected[: len(rows)])
        current = tab.locator(".history-row.is-current").inner_text().split()
        self.assertEqual(current[0], str(max(it["seq"] for it in changes if it["seq"] <= 20)))
        set_by = tab.locator("#inspector-body .section").nth(1).inner_text()
        self.assertIn(f"{current[0]}.", set_by)

    def test_notes_are_in_the_list_and_in_the_inspector(self):
        tab = self.open_measured("#p=20&fold=0")
        self.assertEqual(tab.locator("#action-list .badge.note").all_inner_texts(), ["text of 20"])
        self.assertIn("note 20: text of 20", tab.locator("#inspector-body .meta").inner_text())

    def test_the_whole_value_and_the_readout_are_those_of_the_position(self):
        tab = self.open_measured("#p=50&path=/count&tab=value")
        self.assertEqual(tab.locator("pre.full").inner_text(), "45")
        self.assertEqual(tab.locator(".readout-box").inner_text().split(), ["50", "/", "100", "+00:50.000"])
        self.assertEqual(tab.locator("#facts").text_content(), "1.0·measured.jsonl·100 actions·100 s·closed")


class FilterTests(DrawnTest):
    def listed(self, tab):
        settle(tab)
        shown = tab.locator("#actions .count").inner_text().split()[0]
        numbers = tab.evaluate("() => [...hindsight.listed]")
        self.assertEqual(int(shown.replace(",", "")), len(numbers))
        return numbers

    def test_each_filter_lists_the_actions_that_meet_it(self):
        works = [number for number in range(1, 101) if number % 10]
        tests = {
            "type=rest": [number for number in range(1, 101) if number % 10 == 0],
            "by=2": [51],
            "by=1": works,
            "took=100000": [100],
            "took=16000": list(range(16, 101)),
            "changed=1": works,
            "problems=1": [],
            "at=/isOn": [51],
            "at=/count": works,
            "text=rest&took=50000": [50, 60, 70, 80, 90, 100],
            "text=77": [77],
            "fold=0": list(range(1, 101)),
        }
        tab = self.open_measured()
        for fragment, expected in tests.items():
            with self.subTest(fragment):
                go(tab, f"#p=1&{fragment}")
                tab.wait_for_function("(fragment) => location.hash.endsWith(fragment)", arg=fragment)
                tab.wait_for_function("(count) => hindsight.listed.length === count", arg=len(expected))
                self.assertEqual(self.listed(tab), expected)

    def test_the_controls_set_the_filters(self):
        tab = self.open_measured()
        tab.locator("button[aria-label='More filters']").click()
        filters = tab.locator(".filters")
        for choose, undo, count in (
            (lambda: filters.get_by_label("rest").check(), lambda: filters.get_by_label("rest").uncheck(), 10),
            (lambda: filters.get_by_label("Changed by reducer").select_option("2"), lambda: filters.get_by_label("Changed by reducer").select_option(""), 1),
            (lambda: filters.get_by_label("Took at least").select_option("100 µs"), lambda: filters.get_by_label("Took at least").select_option(""), 1),
            (lambda: filters.get_by_label("Hide actions").check(), lambda: filters.get_by_label("Hide actions").uncheck(), 90),
            (lambda: filters.get_by_label("Only with problems").check(), lambda: filters.get_by_label("Only with problems").uncheck(), 0),
        ):
            choose()
            tab.wait_for_function("(count) => hindsight.listed.length === count", arg=count)
            self.assertEqual(tab.locator(".chip").count(), 1)
            undo()
            tab.wait_for_function("() => hindsight.listed.length === 100")

    def test_quick_equal_actions_fold(self):
        recording = write_clock(SCRATCH / "quick.jsonl", [number / 10 for number in range(1, 21)])
        tab = self.open(make_page(recording), "#p=0")
        self.assertIn("× 20", tab.locator("#action-list").inner_text())
        go(tab, "#p=0&fold=0")
        tab.wait_for_function("() => document.querySelectorAll('#action-list .row').length > 10")
        self.assertNotIn("× 20", tab.locator("#action-list").inner_text())


if __name__ == "__main__":
    unittest.main()
