"""A page that follows a recording: what it shows when actions, notes and the end arrive. The server is the test itself."""

import base64
import json
import re
import unittest

from browser import PATIENCE, SCRATCH, BrowserTest, make_page, settle
from recordings import CREATED, head, line, replacement

ADDRESS = "http://127.0.0.1:4321/0123456789abcdef/"
SIGNAL = {"number": 11, "name": "SIGSEGV", "address": "0x10", "thread": 1, "main": True, "dispatching": True,
          "stackOverflow": False, "frames": []}  # fmt: skip


def action(number, isFinished=True):
    row = {"action": "count", "payload": {"count": {}}}
    if isFinished:
        row["changes"] = {"counter": [replacement("/count", number - 1, number)]}
    row["at"] = CREATED + number * 10**9
    if isFinished:
        row |= {"duration": 2000, "times": [1000, 1000]}
    return row


class Server:
    """Answers as `view --live` does."""

    def __init__(self, tab):
        self.ending, self.facts, self.run = "live", {}, "1"
        self.rows, self.notes, self.states, self.asked = [], {}, {}, 0
        # The first and the last of the last actions whose states are doubtful.
        self.doubt = None
        recording = SCRATCH / "live.jsonl"
        recording.write_text(self.head() + line({"end": True}), encoding="utf-8")
        self.page = make_page(recording).read_text(encoding="utf-8")
        tab.route(ADDRESS + "**", self.answer)

    def head(self):
        # A text without facts gets those of a recording that was closed.
        return head(["counter", "other"], {"count": 0}, facts=self.facts or {"recovered": 0})

    def following(self, page):
        """The page as the server makes it: with the first line only."""
        about = json.loads(re.search(r'id="about" type="application/json">(.*?)</script>', page, re.S)[1])
        about |= {"isOpen": True, "live": {"rows": "rows", "head": "head", "run": self.run, "ending": self.ending}}
        text = self.head().encode()
        recording = f'data-encoding="none" data-bytes="{len(text)}">{base64.b64encode(text).decode()}</script>'
        page = re.sub(r'(id="about" type="application/json">).*?</script>', lambda it: it[1] + json.dumps(about) + "</script>", page, flags=re.S)
        page = re.sub(r'data-encoding="\w+" data-bytes="\d+">.*?</script>', lambda _: recording, page, flags=re.S)
        return page.replace("require-trusted-types-for", "connect-src 'self'; require-trusted-types-for", 1)

    def answer(self, route):
        path, _, query = route.request.url.removeprefix(ADDRESS).partition("?")
        headers = {"Hindsight-Run": self.run, "Hindsight-Ending": self.ending, "Content-Type": "application/jsonl"}
        if path == "":
            return route.fulfill(body=self.following(self.page), content_type="text/html; charset=utf-8")
        if path == "head":
            return route.fulfill(body=self.head(), headers=headers)
        self.asked += 1
        after = int(query.removeprefix("after="))
        lines = [line(note) for note in self.notes.get(after, [])]
        for number, row in enumerate(self.rows[after:], after + 1):
            lines += [line(row), *([line({"state": self.states[number]})] if number in self.states else [])]
            lines += [line(note) for note in self.notes.get(number, [])]
        if self.ending != "live":
            headers["Hindsight-Over"] = "1"
        if self.doubt is not None and self.doubt[0] <= after:
            headers["Hindsight-Doubt"] = "{}-{}".format(*self.doubt)
        return route.fulfill(body="".join(lines), headers=headers)


class LiveTests(BrowserTest):
    def follow(self):
        context = self.browser.new_context(viewport={"width": 1440, "height": 900})
        self.contexts.append(context)
        tab = context.new_page()
        tab.set_default_timeout(PATIENCE)
        tab.on("pageerror", lambda error: self.faults.append(f"error: {error}"))
        tab.on("console", lambda it: it.type in ("error", "warning") and self.faults.append(f"console: {it.text}"))
        server = Server(tab)
        tab.goto(ADDRESS)
        tab.wait_for_function("() => document.documentElement.dataset.ready !== undefined")
        return tab, server

    def wait_for_last(self, tab, number):
        # The page of another run loads again: it has no `hindsight` for a moment.
        tab.wait_for_function("(number) => window.hindsight?.data.last === number", arg=number)
        settle(tab)

    def wait_for_answer(self, tab, server):
        """Waits until the page has taken an answer that the server gives from now on."""
        # The page has taken the answer to one request when it sends the next.
        wanted = server.asked + 2
        for _ in range(PATIENCE // 20):
            if server.asked >= wanted:
                break
            tab.wait_for_timeout(20)
        self.assertGreaterEqual(server.asked, wanted, "the page asks no more")

    def facts(self, tab):
        return tab.locator("#facts").inner_text()

    def test_actions_and_late_notes_arrive(self):
        tab, server = self.follow()
        server.rows.append(action(1))
        self.wait_for_last(tab, 1)
        self.assertIn("1 action · following", self.facts(tab))
        server.notes[1] = [{"note": "late", "text": "it came after the row", "at": CREATED}]
        tab.wait_for_function("() => hindsight.notesOf(1).length === 1")
        self.assertIn("it came after the row", tab.locator("#action-list").inner_text())
        server.rows.append(action(2))
        self.wait_for_last(tab, 2)
        self.wait_for_answer(tab, server)
        self.assertEqual(tab.evaluate("() => hindsight.data.notes.length"), 1, "a note was taken twice")

    def test_a_history_of_fewer_actions_is_not_read_on(self):
        tab, server = self.follow()
        server.rows.append(action(1))
        self.wait_for_last(tab, 1)
        tab.evaluate("() => { window.pin = hindsight.historyOf('/count'); }")
        server.rows.append(action(2))
        self.wait_for_last(tab, 2)
        self.assertEqual(tab.evaluate("() => [window.pin.isGone, hindsight.historyOf('/count') === window.pin]"), [True, False])

    def test_a_filter_takes_the_actions_that_come_while_it_looks(self):
        tab, server = self.follow()
        server.rows.append(action(1))
        self.wait_for_last(tab, 1)
        # Each look of the filter ends when the test says so.
        tab.evaluate(
            """() => {
                const { data } = hindsight;
                const { filter } = data;
                window.looks = 0;
                data.filter = (...conditions) => {
                    window.looks += 1;
                    const numbers = filter.apply(data, conditions);
                    return new Promise((done) => { window.finish = () => done(numbers); });
                };
                hindsight.setFilter({ types: ['count'] });
            }"""
        )
        # The address has it by then: it may look for as long as the app is busy.
        tab.wait_for_function("() => location.hash.includes('type=count')")
        server.rows.append(action(2))
        self.wait_for_last(tab, 2)
        self.finish_look(tab, 1)
        self.finish_look(tab, 2)
        tab.wait_for_function("() => hindsight.filtered?.length === 2")
        # The next actions do not let it begin again, either.
        server.rows.append(action(3))
        tab.wait_for_function("() => window.looks === 3")
        server.rows.append(action(4))
        self.wait_for_last(tab, 4)
        self.finish_look(tab, 3)
        self.finish_look(tab, 4)
        tab.wait_for_function("() => hindsight.filtered.length === 4")

    def finish_look(self, tab, number):
        tab.wait_for_function("(number) => window.looks >= number", arg=number)
        self.assertEqual(tab.evaluate("() => window.looks"), number)
        tab.evaluate("() => window.finish()")

    def test_a_pinned_value_keeps_what_was_read_while_the_recording_grows(self):
        tab, server = self.follow()
        server.rows.append(action(1))
        self.wait_for_last(tab, 1)
        tab.evaluate("() => { hindsight.setPins(['/count']); window.pin = hindsight.historyOf('/count'); }")
        tab.wait_for_function("() => window.pin.isReady && window.pin.count === 1")
        # From now on, reading ends when the test says so.
        tab.evaluate(
            """() => {
                const { data } = hindsight;
                const { changesAt } = data;
                window.reads = 0;
                data.changesAt = function* (...place) {
                    window.reads += 1;
                    yield* changesAt.apply(data, place);
                    while (!window.isReleased) yield null;
                };
            }"""
        )
        for number in (2, 3):
            server.rows.append(action(number))
            self.wait_for_last(tab, number)
        self.assertEqual(tab.evaluate("() => [window.reads, window.pin.isReady, window.pin.count]"), [1, True, 1])
        tab.evaluate("() => { window.isReleased = true; }")
        tab.wait_for_function("() => window.pin.count === 3")
        self.assertEqual(tab.evaluate("() => [window.reads, hindsight.historyOf('/count') === window.pin]"), [2, True])

    def test_times_are_measured_again(self):
        tab, server = self.follow()
        server.rows.append(action(1))
        self.wait_for_last(tab, 1)
        tab.evaluate("() => hindsight.showTab('timing')")
        count = "(count) => document.querySelector('#inspector-body tbody td')?.textContent === count"
        tab.wait_for_function(count, arg="1")
        server.rows.append(action(2))
        tab.wait_for_function(count, arg="2")

    def test_states_that_turn_out_doubtful_are_read_again(self):
        tab, server = self.follow()
        server.rows += [action(1), action(2), action(3)]
        self.wait_for_last(tab, 3)
        # The state after action 2 is another one than that to which the changes lead.
        for row in server.rows[:2]:
            row["doubtful"] = "/other"
        server.states[2] = {"count": 2, "other": 1}
        server.doubt = (1, 2)
        tab.wait_for_function("() => window.hindsight?.data.last === 3 && hindsight.data.flagsOf(1) & flags.DOUBTFUL")
        self.assertEqual(tab.evaluate("() => textOf(hindsight.data.state(3))"), '{"count":3,"other":1}')
        tab.evaluate("() => { window.isThisPage = true; }")
        self.wait_for_answer(tab, server)
        self.assertTrue(tab.evaluate("() => window.isThisPage"), "the page begins again without end")
        # More of them turn out to be doubtful. The first has its mark already.
        server.rows[2]["doubtful"] = "/other"
        server.states = {3: {"count": 3, "other": 2}}
        server.doubt = (1, 3)
        tab.wait_for_function("() => !window.isThisPage && window.hindsight?.data.last === 3 && hindsight.data.flagsOf(3) & flags.DOUBTFUL")
        self.assertEqual(tab.evaluate("() => textOf(hindsight.data.state(3))"), '{"count":3,"other":2}')

    def test_a_crash_shows_its_place_and_its_cause(self):
        tab, server = self.follow()
        server.rows += [action(1), action(2)]
        self.wait_for_last(tab, 2)
        server.rows.append(action(3, isFinished=False))
        server.ending = "crashed 3.2"
        server.facts = {"died": "3.2", "signal": SIGNAL, "during": {"phase": "reducer"}, "recovered": 1}
        self.wait_for_last(tab, 3)
        tab.wait_for_function("() => hindsight.data.ending.kind === 'crashed'")
        tab.wait_for_function("() => hindsight.view.number === 3")
        settle(tab)
        self.assertIn("waiting for the next run", self.facts(tab))
        self.assertIn("crashed", self.facts(tab))
        shown = tab.locator("#inspector-body").inner_text()
        self.assertIn("crashed in action 3, reducer 2 of 2 (other)", shown)
        self.assertIn("SIGSEGV on the thread that dispatched, at address 0x10", shown)

    def test_a_recording_that_is_closed_or_killed_says_so(self):
        endings = {
            "closed": ("closed", {"closed": CREATED + 10**10}, "closed"),
            "killed": ("open", {"during": {"phase": "idle", "after": 1}, "recovered": 0}, "between two actions, after action 1"),
        }
        for name, (ending, facts, text) in endings.items():
            with self.subTest(name):
                tab, server = self.follow()
                server.rows.append(action(1))
                self.wait_for_last(tab, 1)
                server.ending, server.facts = ending, facts
                tab.wait_for_function("() => !hindsight.data.isOpen")
                settle(tab)
                self.assertIn(ending, self.facts(tab))
                self.assertIn(text, tab.locator("#toast").inner_text())
                tab.context.close()

    def test_the_end_of_the_next_run_is_followed(self):
        tab, server = self.follow()
        server.rows += [action(1), action(2), action(3)]
        self.wait_for_last(tab, 3)
        tab.wait_for_function("() => location.hash.includes('p=3')")
        server.run, server.rows = "2", [action(number) for number in range(1, 6)]
        self.wait_for_last(tab, 5)
        self.assertEqual(tab.evaluate("() => hindsight.view.number"), 5)
        # Who looks at another position stays there.
        tab.keyboard.press("Home")
        tab.keyboard.press("ArrowRight")
        tab.wait_for_function("() => location.hash.includes('p=1')")
        server.run, server.rows = "3", server.rows[:4]
        self.wait_for_last(tab, 4)
        self.assertEqual(tab.evaluate("() => hindsight.view.number"), 1)

    def test_a_server_that_fails_for_a_moment_is_asked_again(self):
        tab, server = self.follow()
        server.rows.append(action(1))
        self.wait_for_last(tab, 1)
        answer = server.answer
        tab.unroute(ADDRESS + "**")
        tab.route(ADDRESS + "**", lambda route: route.fulfill(status=503, body="busy"))
        tab.wait_for_function("() => /does not answer/.test(document.getElementById('facts').textContent)")
        server.rows.append(action(2))
        tab.unroute(ADDRESS + "**")
        tab.route(ADDRESS + "**", answer)
        self.wait_for_last(tab, 2)
        self.faults = [fault for fault in self.faults if "503" not in fault]


if __name__ == "__main__":
    unittest.main()
