"""Random positions show the state that `jump` prints, and the changes that `diff` prints."""

import json
import random
import unittest

from browser import FIXTURES, SCRATCH, SEED, BrowserTest, facts, make_page, settle, tool
from recordings import CREATED, head, line, replacement, write_clock, write_numbers, write_rows

# The last one is made by the tool under test, and not by an earlier version.
RECORDINGS = ["todo", "checkout", "notepad", "escapes", "bridged", "partial", "doubtful", "todo-limits", "new"]
POSITIONS = 200

STATE = """
(position) => {
    const state = hindsight.data.state(position);
    return state === undefined ? null : textOf(state);
}
"""
CHANGES = """
([from, to]) => {
    const members = ({ op, path, at, ...values }) => {
        const object = new Map([['op', op], ['path', path]]);
        const hasPlace = op === 'splice' || op === 'edit';
        if (hasPlace) object.set('at', at);
        for (const key of ['old', 'value', 'remove', 'insert']) if (values[key] !== undefined) object.set(key, values[key]);
        if (!hasPlace && at !== undefined) object.set('at', at);
        return object;
    };
    const changes = hindsight.data.changes(from, to);
    return changes === null ? null : textOf(changes.map(members));
}
"""


def find_recording(name):
    if name != "new":
        return FIXTURES / f"{name}.hindsight"
    file = SCRATCH / "new.hindsight"
    if not file.exists():
        tool("record", "--app", "checkout", "--input", FIXTURES / "checkout.jsonl", file)
    return file


def text(position):
    return f"{position['number']}" if position["reducer"] is None else f"{position['number']}.{position['reducer']}"


class StateTests(BrowserTest):
    def test_an_action_says_which_thread_dispatched_it(self):
        tab = self.open(make_page(find_recording("new")))
        tab.evaluate("hindsight.go({ number: 3 })")
        self.assertIn("the main thread", tab.locator("#inspector").inner_text())

    def test_a_value_at_an_unknown_state_is_not_known(self):
        tab = self.open(make_page(FIXTURES / "partial.hindsight"))
        tab.evaluate("hindsight.go({ number: 45 }); hindsight.select('/filter'); hindsight.view.tab = 'value'; hindsight.changed()")
        shown = tab.locator("#inspector").inner_text()
        self.assertIn("not known", shown)
        self.assertNotIn("Nothing is", shown)

    def test_states_and_differences_are_those_of_the_tool(self):
        chance = random.Random(SEED)
        for name in RECORDINGS:
            recording = find_recording(name)
            tab = self.open(make_page(recording))
            bounds = facts(tab)
            for _ in range(POSITIONS // len(RECORDINGS)):
                places = []
                for _ in range(2):
                    number = chance.randint(bounds["first"], bounds["last"])
                    within = number > bounds["first"] and chance.random() < 0.4
                    reducer = chance.randint(0, len(bounds["reducers"])) if within else None
                    places.append({"number": number, "reducer": reducer})
                with self.subTest(recording=name, positions=[text(place) for place in places], seed=SEED):
                    self.compare(tab, recording, *places)
            tab.context.close()

    def compare(self, tab, recording, first, second):
        states = [tab.evaluate(STATE, place) for place in (first, second)]
        for place, state in zip((first, second), states):
            if state is None:
                self.assertIsNotNone(tab.evaluate("(place) => hindsight.data.whyNot(place)", place))
                with self.assertRaises(AssertionError, msg="the tool has a state that the page does not have"):
                    tool("jump", recording, text(place), "--recorded", "--json")
            else:
                self.assertEqual(state + "\n", tool("jump", recording, text(place), "--recorded", "--json"))
        if None in states:
            return
        printed = tool("diff", recording, text(first), text(second), "--recorded", "--json")
        found = tab.evaluate(CHANGES, [first, second])
        # The patch is the last member, exactly as written.
        self.assertTrue(printed.endswith(f'"patch":{found}}}\n'), f"{found}\n{printed}")
        self.assertEqual(json.loads(printed)["equal"], found == "[]")

    def test_states_are_printed_as_jump_does(self):
        recording = FIXTURES / "checkout.hindsight"
        tab = self.open(make_page(recording))
        bounds = facts(tab)
        for number in (bounds["first"], bounds["last"] // 2, bounds["last"]):
            shown = tab.evaluate("(number) => textOf(hindsight.data.state(number), { indent: 2 })", number)
            self.assertEqual(shown + "\n", tool("jump", recording, number, "--recorded"))

    def test_a_line_that_comes_in_pieces_is_searched_once_for_its_end(self):
        tab = self.open(make_page(FIXTURES / "todo.hindsight"))
        searched, length = tab.evaluate(
            """async () => {
                const { indexOf } = Uint8Array.prototype;
                let searched = 0;
                Uint8Array.prototype.indexOf = function (value, from) {
                    const at = indexOf.call(this, value, from);
                    searched += (at < 0 ? this.length : at) - from;
                    return at;
                };
                const bytes = encoder.encode(`{"hindsight":"recording","created":1,"state":"${'x'.repeat(1 << 20)}"}\n`);
                const stream = new ReadableStream({
                    start(controller) {
                        for (let at = 0; at < bytes.length; at += 4096) controller.enqueue(bytes.subarray(at, at + 4096));
                        controller.close();
                    },
                });
                try {
                    const data = await RecordingData.read(stream);
                    return [searched / bytes.length, data.state(0).length];
                } finally {
                    delete Uint8Array.prototype.indexOf;
                }
            }"""
        )
        self.assertEqual(length, 1 << 20)
        self.assertLess(searched, 2)


class CrashTests(BrowserTest):
    """Of the action in which the process ended, the page has what the tool computed."""

    RECORDING = FIXTURES / "crashed" / "checkout-crash.hindsight"
    # The process ended in the seventh of nine reducers.
    CRASH, RETURNED, REDUCERS = 12, 6, 9

    def text_of(self, tab, selector):
        settle(tab)
        return tab.locator(selector).inner_text()

    def test_states_before_the_crash_are_those_that_the_tool_computes(self):
        for options in ((), ("--from", "9"), ("--to", "crash"), ("--path", "/coupons")):
            tab = self.open(make_page(self.RECORDING, *options))
            # Backwards, too: a state may then be found from a later one.
            for reducer in (*range(self.REDUCERS + 1), *range(self.RETURNED, -1, -1), None):
                place = {"number": self.CRASH, "reducer": reducer}
                with self.subTest(options=options, position=text(place)):
                    state = tab.evaluate(STATE, place)
                    if reducer is None or reducer > self.RETURNED:
                        self.assertIsNone(state)
                        self.assertIn("The process ended in action 12", tab.evaluate("(place) => hindsight.data.whyNot(place)", place))
                        continue
                    expected = tool("jump", self.RECORDING, text(place), "--json").strip()
                    if options[:1] == ("--path",):
                        expected = json.dumps({"coupons": json.loads(expected)["coupons"]}, separators=(",", ":"))
                    self.assertEqual(state, expected)
                    self.assertIsNone(tab.evaluate("(place) => hindsight.data.whyNot(place)", place))
            tab.context.close()

    def test_a_part_before_the_crash_has_nothing_computed(self):
        tab = self.open(make_page(self.RECORDING, "--to", "11"))
        self.assertEqual(self.text_of(tab, ".readout"), "11")
        self.assertIsNone(tab.evaluate("() => hindsight.data.lastComputed"))
        self.assertNotIn("≈", self.text_of(tab, "body"))

    def test_the_page_opens_at_the_last_computed_step_and_says_that_it_was_computed(self):
        tab = self.open(make_page(self.RECORDING))
        self.assertEqual(self.text_of(tab, ".readout"), "12.6")
        self.assertIn("≈ after 12.6 shipping", self.text_of(tab, "#state"))
        inspector = self.text_of(tab, "#inspector-body")
        self.assertIn("crashed in action 12, reducer 7 of 9 (cart.totals)", inspector)
        self.assertIn("≈ What the reducers did before the crash was computed", inspector)
        self.assertIn("1 of 6 changed the state", inspector)
        self.assertIn("This reducer changed nothing.", inspector)
        # How long a step took is not known.
        times = tab.locator("#inspector-body .lane-time").all_inner_texts()
        self.assertEqual(times, ["–"] * self.RETURNED)
        self.assertEqual(tab.locator("#inspector-body .lane-bar:visible").count(), 0)
        tab.evaluate("() => hindsight.go({ number: 12, reducer: 5 })")
        settle(tab)
        self.assertEqual(tab.evaluate("() => [...document.querySelectorAll('#inspector-body .change .path')].map((it) => it.textContent)"), ["/coupons/applied"])
        self.assertIn("≈ 12.5", self.text_of(tab, "#inspector-body .group-head"))
        # The recording has no state after the action, nor after the reducer that crashed.
        for place in ("{ number: 12, reducer: 7 }", "{ number: 12 }"):
            tab.evaluate(f"() => hindsight.go({place})")
            self.assertIn("The process ended in action 12", self.text_of(tab, "#state .empty"))
            self.assertNotIn("changed nothing", self.text_of(tab, "#inspector-body"))
            tab.locator("#state .empty button").click()
            self.assertEqual(self.text_of(tab, ".readout"), "12.6")
        self.assertIn("≈ /coupons/applied", self.text_of(tab, "#action-12"))

    def test_answers_have_the_computed_steps(self):
        tab = self.open(make_page(self.RECORDING), "#path=/coupons/applied/percent/off&tab=value")
        blamed = json.loads(tool("blame", self.RECORDING, "/coupons/applied/percent/off", "--at", "12.6", "--json"))
        self.assertEqual(blamed["position"], "12.5")
        settle(tab)
        tab.wait_for_function("() => hindsight.historyOf('/coupons/applied/percent/off').isReady")
        shown = self.text_of(tab, "#inspector-body")
        self.assertIn("≈ 12.5 ApplyCoupon", shown)
        self.assertIn("≈ What the reducers did before the crash was computed", shown)
        self.assertIn("1 change", shown)
        tab.locator("#inspector-body .history-row").last.click()
        self.assertEqual(self.text_of(tab, ".readout"), "12.6")
        logged = [json.loads(line) for line in tool("log", self.RECORDING, "--path", "/coupons", "--json").splitlines()]
        listed = tab.evaluate("async () => [...await hindsight.data.filter({ path: '/coupons' })]")
        self.assertEqual(listed, [it["seq"] for it in logged if "seq" in it])
        self.assertIn(self.CRASH, listed)
        # Times that nobody measured are in no statistics.
        counts = tab.evaluate("async () => (await Timing.of(hindsight.data)).reducers.map((it) => it.count)")
        self.assertEqual(counts, [self.CRASH - 1] * self.REDUCERS)


class PositionTests(BrowserTest):
    def test_times_are_the_positions_that_the_tool_finds(self):
        recordings = [FIXTURES / "checkout.hindsight", write_clock(SCRATCH / "times.jsonl", [0.5, 1.2, 1.9, 3, 61, 3700, 20_000])]
        moments = ["+00:00.02", "+00:01", "+00:01.2", "+01:01", "+1:01:40", "+25:00:00", "-5s", "-1ms", "-0.01s", "-25:00:00", "+99:00:00",
                   "16:59:51Z", "16:59:51.850Z", "16:59:53Z", "18:01:31Z", "12:00:00Z", "crash", "end", "start", "50%"]  # fmt: skip
        for recording in recordings:
            tab = self.open(make_page(recording))
            for moment in moments:
                with self.subTest(recording=recording.name, moment=moment):
                    found = tab.evaluate(
                        """(text) => {
                            const found = Format.parsePosition(text, hindsight.data);
                            return found && textOf(hindsight.data.state(found));
                        }""",
                        moment,
                    )
                    try:
                        expected = tool("jump", recording, moment, "--recorded", "--json").strip()
                    except AssertionError:
                        expected = None
                    self.assertEqual(found, expected)
            # A time as the page shows it leads back to its action.
            for number in (1, 3, 5):
                shown = tab.evaluate("(number) => hindsight.timeText(number)", number)
                self.assertEqual(tab.evaluate("(text) => Format.parsePosition(text, hindsight.data).number", shown), number)


class AnswerTests(BrowserTest):
    """Blame, history and search say what the tool says."""

    def test_history_and_blame_are_those_of_the_tool(self):
        chance = random.Random(SEED)
        for name in ("todo", "checkout", "partial", "doubtful", "bridged"):
            recording = FIXTURES / f"{name}.hindsight"
            tab = self.open(make_page(recording))
            pointers = self.pointers(tab)
            for pointer in chance.sample(pointers, 12):
                with self.subTest(recording=name, pointer=pointer, seed=SEED):
                    self.compare_history(tab, recording, pointer)
                    self.compare_filter(tab, recording, pointer)
                    self.compare_blame(tab, recording, pointer)
            tab.context.close()

    def compare_history(self, tab, recording, pointer):
        found = tab.evaluate(
            """(pointer) => [...hindsight.data.changesAt(pointer)].filter((change) => change !== null).map((change) => {
                const { number, index, oneOf } = change;
                const old = hindsight.data.value(index > 0 ? { number, reducer: index - 1 } : (oneOf?.[0] ?? number) - 1, pointer);
                const fresh = hindsight.data.value(index > 0 ? { number, reducer: index } : number, pointer);
                return {
                    who: oneOf?.join('-') ?? `${number}.${index}`,
                    old: old === undefined ? null : textOf(old),
                    new: fresh === undefined ? null : textOf(fresh),
                };
            })""",
            pointer,
        )
        expected = []
        for line in tool("history", recording, pointer, "--json", "--no-index").splitlines():
            change = json.loads(line)
            # A line with `event` says where changes are not known one by one.
            if "event" in change:
                continue
            expected.append({"who": who(change), "old": change.get("old"), "new": change.get("new")})
        for change in found:
            for key in ("old", "new"):
                change[key] = None if change[key] is None else json.loads(change[key])
        self.assertEqual(found, expected)

    def compare_filter(self, tab, recording, pointer):
        """`x` lists the actions that `log --path` lists."""
        rows = [json.loads(line) for line in tool("log", recording, "--path", pointer, "--recorded", "--json").splitlines()]
        expected = [row["seq"] for row in rows if "seq" in row]
        listed = tab.evaluate("async (path) => { await hindsight.setFilter({ path }); return [...hindsight.listed]; }", pointer)
        self.assertEqual(listed, expected)

    def test_a_place_in_an_array_is_changed_by_the_actions_that_change_it(self):
        recording = write_rows(SCRATCH / "rows.jsonl")
        tab = self.open(make_page(recording))
        for pointer in ("/rows/0", "/rows/2", "/rows/3/name", "/rows/11/name", "/rows/298", "/rows/350/name", "/rows", "/rows/400"):
            with self.subTest(pointer):
                self.compare_history(tab, recording, pointer)
                self.compare_filter(tab, recording, pointer)

    def test_a_value_that_is_written_again_is_no_change(self):
        rows = [{"op": "replace", "path": "/box", "old": {"count": 1, "name": old}, "value": {"count": 1, "name": new}} for old, new in ("ab", "bb")]
        recording = SCRATCH / "again.jsonl"
        with recording.open("w", encoding="utf-8") as file:
            file.write(head(["box"], {"box": {"count": 1, "name": "a"}}, app="again"))
            for number, row in enumerate(rows, 1):
                file.write(line({"action": "write", "changes": {"box": [row]}, "at": CREATED + number, "duration": 1, "times": [1]}))
            file.write(line({"end": True}))
        tab = self.open(make_page(recording))
        for pointer, expected in (("/box/count", []), ("/box/name", [1]), ("/box", [1])):
            self.compare_filter(tab, recording, pointer)
            self.assertEqual(tab.evaluate("() => [...hindsight.listed]"), expected, pointer)

    def test_what_stands_in_an_element_that_moved_was_set_where_it_was(self):
        rows = [{"name": f"row {number}", "size": number, "tags": ["a"]} for number in range(4)]
        renamed = [*rows[:3], rows[3] | {"name": "last"}]
        reversed_ = renamed[::-1]
        steps = [
            [replacement("/rows/3/name", "row 3", "last")],
            [replacement(f"/rows/{at}/{key}", renamed[at][key], reversed_[at][key]) for at in range(4) for key in ("name", "size")],
            [{"op": "splice", "path": "/rows", "at": 0, "remove": [reversed_[0]], "insert": []},
             {"op": "splice", "path": "/rows", "at": 1, "remove": [], "insert": [reversed_[0]]},
             replacement("/rows/2/size", 1, 7)],
        ]  # fmt: skip
        recording = SCRATCH / "moved.jsonl"
        with recording.open("w", encoding="utf-8") as file:
            file.write(head(["rows"], {"rows": rows}, app="moved"))
            for number, changes in enumerate(steps, 1):
                file.write(line({"action": "move", "changes": {"rows": changes}, "at": CREATED + number, "duration": 1, "times": [1]}))
            file.write(line({"end": True}))
        tab = self.open(make_page(recording))
        for pointer in [f"/rows/{at}/{key}" for at in range(4) for key in ("name", "size", "tags/0")]:
            with self.subTest(pointer):
                self.compare_blame(tab, recording, pointer)

    def compare_blame(self, tab, recording, pointer):
        leaves = [json.loads(line) for line in tool("blame", recording, pointer, "--json", "--no-index").splitlines()]
        if len(leaves) != 1 or leaves[0]["path"] != pointer:
            return
        found = tab.evaluate("([end, pointer]) => hindsight.data.blame(end, pointer)", [tab.evaluate("hindsight.data.last"), pointer])
        if leaves[0]["by"] in ("start", "dropped"):
            self.assertIsNone(found)
        else:
            one = found.get("oneOf")
            self.assertEqual("-".join(map(str, one)) if one else f"{found['number']}.{found['index']}", who(leaves[0]))

    def test_search_finds_what_the_tool_finds(self):
        searches = [(FIXTURES / f"{name}.hindsight", words) for name, words in (
            ("todo", ["trip", "Åse", "søndag", "5"]), ("checkout", ["sku", "NOK"]), ("notepad", ["Zo"]),
        )]  # fmt: skip
        searches.append((write_numbers(SCRATCH / "literals.jsonl"), ["20", "12.50", "2e1", "1250e-2", "https://example", "com/~me", "~"]))
        for recording, words in searches:
            tab = self.open(make_page(recording))
            for word in words:
                with self.subTest(recording=recording.stem, word=word):
                    expected = set()
                    for line in tool("search", recording, word, "--json", "--all").splitlines():
                        match = json.loads(line)
                        place = "payload" if match["source"] == "action" else match["reducer"] or 0
                        expected.add((match["seq"], place, match["path"]))
                    found = tab.evaluate(
                        """async (word) => {
                            const found = [];
                            for await (const match of hindsight.data.search(word, { limit: 1e6 })) found.push(match);
                            return found;
                        }""",
                        word,
                    )
                    # `search` of the tool does not look at the names of types.
                    shown = {
                        (match["number"], "payload" if match["where"] == "payload" else match["reducer"] or 0, match["path"])
                        for match in found
                        if match["where"] != "type"
                    }
                    self.assertEqual(shown, expected)
            tab.context.close()

    def test_a_search_reads_the_actions_that_come_meanwhile_one_by_one(self):
        recording = write_clock(SCRATCH / "thousand.jsonl", range(1, 1001))
        tab = self.open(make_page(recording))
        # The columns of a thousand actions have no room for a hundred more.
        count, longest = tab.evaluate(
            """async () => {
                const { data } = hindsight;
                const rows = '{"action":"tick","changes":{},"at":1,"duration":1,"times":[1]}\\n'.repeat(100);
                const lengths = [];
                for await (const row of data.rowsWith((text) => lengths.push(text.length))) {
                    if (row > 0) continue;
                    data.append(encoder.encode(rows));
                    while (!data.scan()) continue;
                }
                return [lengths.length, Math.max(...lengths)];
            }"""
        )
        self.assertEqual(count, 1100)
        self.assertLess(longest, 1000)


def who(change):
    if change["by"] == "oneOf":
        return "-".join(map(str, change["actions"]))
    return f"{change['seq']}.{change['reducer'] or 0}"


if __name__ == "__main__":
    unittest.main()
