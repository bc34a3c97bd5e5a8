"""Every view works by mouse, and by keyboard alone."""

import json
import subprocess
import unittest

from browser import FIXTURES, SCRATCH, BrowserTest, facts, make_page, settle, tool
from recordings import CREATED, action, head, line, replacement, write, write_clock, write_doubt, write_growing, write_placeholders, write_rows
from views import CHANGES, lines, position

RECORDING = FIXTURES / "checkout.hindsight"


class ViewTest(BrowserTest):
    def open_recording(self, fragment="", recording=RECORDING, **options):
        tab = self.open(make_page(recording), fragment, **options)
        tab.context.grant_permissions(["clipboard-read", "clipboard-write"])
        return tab

    def assert_position(self, tab, expected):
        settle(tab)
        self.assertEqual(position(tab), str(expected))

    def wait_for_address(self, tab, part):
        """The address follows after a pause."""
        tab.wait_for_function("(part) => decodeURIComponent(location.hash).includes(part)", arg=part)

    def selected(self, tab):
        return tab.evaluate("() => hindsight.view.path")


class KeyboardTests(ViewTest):
    def press(self, tab, *keys):
        for key in keys:
            tab.keyboard.press(key)
            settle(tab)

    def test_steps_jumps_and_plays(self):
        tab = self.open_recording()
        last = facts(tab)["last"]
        self.press(tab, "Home")
        self.assert_position(tab, 0)
        self.press(tab, "ArrowRight", "ArrowRight")
        self.assert_position(tab, 2)
        self.press(tab, "ArrowLeft")
        self.assert_position(tab, 1)
        self.press(tab, "Shift+ArrowRight")
        self.assert_position(tab, "2.1")
        self.press(tab, ".")
        self.assert_position(tab, "2.2")
        self.press(tab, "Shift+ArrowLeft")
        self.assert_position(tab, "2.1")
        self.press(tab, "j", "j", "k")
        self.assert_position(tab, 3)
        self.press(tab, "End")
        self.assert_position(tab, last)
        self.press(tab, "[")
        self.assert_position(tab, 3)
        self.press(tab, "]")
        self.assert_position(tab, last)
        self.press(tab, "Home", "Space")
        tab.wait_for_function("() => hindsight.view.number >= 2")
        self.press(tab, "Space")
        stopped = position(tab)
        tab.wait_for_timeout(400)
        self.assert_position(tab, stopped)

    def test_goes_to_a_position(self):
        tab = self.open_recording()
        self.press(tab, "g")
        self.assertTrue(tab.locator("dialog.go-sheet").is_visible())
        tab.keyboard.type("9999")
        self.press(tab, "Enter")
        self.assertIn("no such position", tab.locator("#go-problem").text_content())
        for text, expected in (("12.3", "12.3"), ("50%", "33"), ("start", "0"), ("end", "66")):
            if not tab.locator("dialog.go-sheet").is_visible():
                self.press(tab, "g")
            self.press(tab, "Control+a")
            tab.keyboard.type(text)
            self.press(tab, "Enter")
            self.assert_position(tab, expected)

    def test_searches_and_goes_to_a_result(self):
        tab = self.open_recording()
        self.press(tab, "/")
        tab.keyboard.type("TEA")
        tab.wait_for_selector("#search-results .result")
        self.press(tab, "ArrowDown", "ArrowDown")
        goal = tab.evaluate(
            "() => document.querySelector('#search-results [aria-selected=true] .number').textContent.replace('start', '0')"
        )
        self.press(tab, "Enter")
        self.assertFalse(tab.locator("dialog.search-sheet").is_visible())
        self.assert_position(tab, goal)
        # Escape closes it too.
        self.press(tab, "/", "Escape")
        self.assertFalse(tab.locator("dialog.search-sheet").is_visible())

    def test_filters_actions(self):
        tab = self.open_recording()
        self.press(tab, "f")
        first = tab.evaluate("() => hindsight.data.types[0].name")
        tab.keyboard.type(first)
        tab.wait_for_function("() => hindsight.filtered !== null")
        listed = tab.evaluate("() => [...hindsight.listed].map((number) => hindsight.data.typeOf(number))")
        self.assertIn(first, listed)
        self.assertLess(len(listed), facts(tab)["last"])
        self.wait_for_address(tab, f"text={first}")
        self.press(tab, "Escape", "Escape")
        self.press(tab, "1", "Escape")
        tab.wait_for_function("() => hindsight.filtered === null")

    def test_arrows_in_the_list_go_to_the_nearest_listed_action(self):
        tab = self.open_recording("#p=3&type=b", write_clock(SCRATCH / "turns.jsonl", range(1, 7), ["a", "b"] * 3))
        tab.wait_for_function("() => hindsight.filtered?.length === 3")
        for number, key, goal in (
            (3, "ArrowUp", 2), (3, "ArrowDown", 4), (5, "ArrowUp", 4), (1, "ArrowDown", 2), (1, "ArrowUp", 1), (4, "ArrowDown", 6),
        ):  # fmt: skip
            with self.subTest(number=number, key=key):
                tab.evaluate("(number) => hindsight.go({ number })", number)
                tab.focus("#action-list")
                self.press(tab, key)
                self.assert_position(tab, goal)
        # An empty list leads nowhere.
        tab.evaluate("() => hindsight.setFilter({ text: 'nowhere' })")
        tab.focus("#action-list")
        self.press(tab, "ArrowDown", "ArrowUp", "PageDown")
        self.assert_position(tab, 6)

    def test_no_action_leads_to_the_start(self):
        tab = self.open_recording("#p=5&d=3")
        tab.get_by_role("button", name="This action", exact=True).click()
        self.press(tab, "Home")
        self.assert_position(tab, 0)
        self.assertIn("3 \u2192 0", tab.locator("#inspector-body").inner_text())

    def test_moves_in_the_tree_and_asks_about_a_value(self):
        tab = self.open_recording()
        self.press(tab, "2")
        self.assertEqual(tab.evaluate("() => document.activeElement.id"), "state-tree")
        self.press(tab, "ArrowDown")
        path = self.selected(tab)
        self.assertNotIn(path, (None, ""))
        active = tab.evaluate(
            "() => document.getElementById(document.querySelector('#state-tree').getAttribute('aria-activedescendant'))"
            "?.getAttribute('aria-selected')"
        )
        self.assertEqual(active, "true")
        is_open = "() => document.querySelector('#state-tree [aria-selected=true]').getAttribute('aria-expanded')"
        before = tab.evaluate(is_open)
        self.press(tab, "ArrowLeft" if before == "true" else "ArrowRight")
        self.assertNotEqual(tab.evaluate(is_open), before)
        self.press(tab, "ArrowRight")
        self.press(tab, "c")
        copied = tab.evaluate("() => navigator.clipboard.readText()")
        value = tab.evaluate("() => textOf(hindsight.data.value(hindsight.view, hindsight.view.path), { indent: 2 })")
        self.assertEqual(copied, value)
        self.press(tab, "Shift+C")
        self.assertEqual(tab.evaluate("() => navigator.clipboard.readText()"), self.selected(tab))
        self.press(tab, "y")
        self.assertTrue(tab.evaluate("() => navigator.clipboard.readText()").startswith("hindsight jump checkout.hindsight "))
        self.press(tab, "v")
        self.assertEqual(tab.locator("[role=tab][aria-selected=true]").text_content(), "Value")
        self.press(tab, "v", "p")
        self.wait_for_address(tab, "pin=" + self.selected(tab))
        self.press(tab, "p", "b")
        blamed = tab.evaluate("() => hindsight.data.blame(hindsight.data.last, hindsight.view.path)")
        self.assertIsNotNone(blamed)
        self.assert_position(tab, f"{blamed['number']}.{blamed['index']}" if blamed["index"] else blamed["number"])
        self.press(tab, "x")
        tab.wait_for_function("() => hindsight.filtered !== null")
        changing = [json.loads(line)["seq"] for line in tool("log", RECORDING, "--path", self.selected(tab), "--json").splitlines()]
        self.assertEqual(tab.evaluate("() => [...hindsight.listed]"), changing)

    def test_compares_with_a_mark(self):
        tab = self.open_recording("#p=10")
        self.press(tab, "d", "End")
        self.assertEqual(len(tab.evaluate(CHANGES)) > 0, True)
        self.wait_for_address(tab, "d=10")
        shown = tab.evaluate("() => document.querySelector('.foot code').textContent")
        self.assertEqual(shown, "hindsight diff checkout.hindsight 10 66")
        self.press(tab, "n", "u")
        self.assertEqual(tab.evaluate("() => hindsight.tree.isOnly"), True)
        self.press(tab, "u", "d")
        self.assertIsNone(tab.evaluate("() => hindsight.view.mark"))

    def test_shows_a_sheet_of_keys(self):
        tab = self.open_recording()
        self.press(tab, "?")
        self.assertTrue(tab.locator("dialog.help-sheet").is_visible())
        self.assertGreater(tab.locator("dialog.help-sheet kbd").count(), 30)
        self.press(tab, "Escape")
        self.assertFalse(tab.locator("dialog.help-sheet").is_visible())

    def test_zooms_the_timeline_and_changes_its_scale(self):
        tab = self.open_recording()
        # The address is written once when the page opens. Zooming writes it again.
        self.wait_for_address(tab, "p=66")
        self.press(tab, "+", "+")
        self.wait_for_address(tab, "w=")
        tab.evaluate("() => { location.hash = '#p=66'; }")
        tab.wait_for_function("() => hindsight.timeline.isWhole")
        self.press(tab, "-", "0", "t")
        self.wait_for_address(tab, "scale=time")
        self.press(tab, "4", "ArrowLeft")
        self.assert_position(tab, 65)
        self.assertEqual(tab.get_attribute("#slider", "aria-valuenow"), "65")
        self.assertIn("action 65 of 66", tab.get_attribute("#slider", "aria-valuetext"))

    def test_the_tab_key_reaches_all_controls(self):
        tab = self.open_recording()
        reached = []
        for _ in range(80):
            tab.keyboard.press("Tab")
            reached.append(tab.evaluate("() => document.activeElement.id || document.activeElement.className"))
            if tab.evaluate("() => document.activeElement === document.body"):
                break
        for name in ("open-search", "theme", "open-help", "play", "slider", "action-list", "state-tree", "inspector-body"):
            self.assertIn(name, reached)
        # What has the focus can be seen.
        tab.focus("#open-search")
        tab.keyboard.press("Tab")
        outline = tab.evaluate(
            "() => { const it = getComputedStyle(document.activeElement); return it.outlineStyle + it.boxShadow; }"
        )
        self.assertNotEqual(outline, "nonenone")

    def test_signs_work_on_keyboards_that_need_other_keys_for_them(self):
        tab = self.open_recording("#p=3")
        self.press(tab, "End", "Home")
        press = "(key) => document.activeElement.dispatchEvent(new KeyboardEvent('keydown', { bubbles: true, ...key }))"
        for key, expected in (
            ({"key": "[", "ctrlKey": True, "altKey": True, "modifierAltGraph": True}, 66),
            ({"key": "]", "altKey": True}, 0),
            ({"key": "[", "ctrlKey": True}, 0),
            ({"key": "j", "altKey": True}, 0),
            ({"key": "j"}, 1),
        ):
            tab.evaluate(press, key)
            self.assert_position(tab, expected)
        tab.focus("#state-tree")
        self.press(tab, "e", "ArrowDown", "ArrowDown")
        before = tab.locator("#state-tree [aria-expanded=true]").count()
        tab.evaluate(press, {"key": "*", "shiftKey": True})
        settle(tab)
        self.assertGreater(tab.locator("#state-tree [aria-expanded=true]").count(), before)

    def test_the_dividers_are_moved_by_keys(self):
        tab = self.open_recording(viewport={"width": 1600, "height": 800})
        for at, key, panel in ((0, "ArrowRight", "#actions"), (1, "ArrowLeft", "#inspector")):
            divider = tab.locator(".divider").nth(at)
            before = tab.locator(panel).bounding_box()["width"]
            divider.focus()
            self.press(tab, key, key)
            self.assertAlmostEqual(tab.locator(panel).bounding_box()["width"], before + 32, delta=2)
            self.assertAlmostEqual(int(divider.get_attribute("aria-valuenow")), before + 32, delta=2)

    def test_the_focus_stays_where_enter_was_pressed(self):
        tab = self.open_recording("#p=12&path=/cart/totals/gross&pin=/cart/totals/gross&type=SetAddress&d=3")
        tab.wait_for_function("() => hindsight.timeline.pins[0].isReady")
        for tab_name, selector in (
            ("action", "#inspector-body .lane"), ("action", "#inspector-body .group-head"), ("action", "#inspector-body .path"),
            ("action", "#inspector-body .segmented button"), ("value", "#inspector-body .history-row"), ("value", "#inspector-body .link"),
            ("value", "#inspector-body .buttons button"), ("timing", "#inspector-body .link"), ("action", "#state .crumb"),
            ("action", "#actions .chip"), ("action", ".track-label .link"), ("action", ".track-label .icon"),
        ):  # fmt: skip
            with self.subTest(selector, tab=tab_name):
                tab.evaluate("(hash) => { location.hash = hash; }", f"#p=12&path=/cart/totals/gross&pin=/cart/totals/gross&type=SetAddress&d=3&tab={tab_name}")
                tab.wait_for_function("(name) => hindsight.view.tab === name", arg=tab_name)
                tab.evaluate("(isAction) => hindsight.setScope(isAction ? 'action' : null)", selector.endswith("group-head"))
                tab.wait_for_selector(selector)
                settle(tab)
                tab.locator(selector).last.focus()
                self.press(tab, "Enter")
                tab.wait_for_timeout(30)
                self.assertNotEqual(tab.evaluate("() => document.activeElement.tagName"), "BODY")

    def test_back_leads_to_where_a_jump_began(self):
        tab = self.open_recording("#p=12")
        self.press(tab, "ArrowRight", "End")
        self.wait_for_address(tab, "p=66")
        self.press(tab, "Home")
        self.wait_for_address(tab, "p=0")
        for expected in (66, 13):
            tab.go_back()
            tab.wait_for_function("(number) => hindsight.view.number === number", arg=expected)
            self.assert_position(tab, expected)
        tab.go_forward()
        tab.wait_for_function("() => hindsight.view.number === 66")

    def test_a_link_that_does_not_fit_the_page_says_so(self):
        tab = self.open(make_page(RECORDING, "--from", "50"), "#p=12&type=Nonsense")
        toast = tab.locator("#toast")
        for part in ("position 12 is not in it, which goes from 50 to 66", "no action of type Nonsense"):
            self.assertIn(part, toast.text_content())
        self.assertTrue(toast.is_visible())

    def test_the_footer_shows_the_command_that_is_copied(self):
        recording = SCRATCH / "it's \u202ehere.hindsight"
        recording.write_bytes(RECORDING.read_bytes())
        tab = self.open_recording("#p=12", recording)
        for action in (lambda: None, lambda: tab.evaluate("() => hindsight.select('/cart/totals/gross')"), lambda: self.press(tab, "d")):
            action()
            self.press(tab, "y")
            copied = tab.evaluate("() => navigator.clipboard.readText()")
            self.assertEqual(tab.locator("#foot code").text_content(), copied)
            # A shell reads the name of the file.
            words = subprocess.run(["bash", "-c", f"printf '%s\\n' {copied}"], capture_output=True, text=True, check=True).stdout.split("\n")
            self.assertEqual(words[2], recording.name)

    def test_says_where_one_is(self):
        tab = self.open_recording()
        self.press(tab, "Home", "ArrowRight")
        tab.wait_for_function("() => /action 1 of 66/.test(document.querySelector('[aria-live=polite]').textContent)")


class MouseTests(ViewTest):
    def test_the_action_list_goes_to_actions(self):
        tab = self.open_recording()
        tab.locator("#action-list [role=option]").nth(3).click()
        settle(tab)
        current = tab.locator("#action-list [aria-selected=true]")
        self.assertEqual(current.count(), 1)
        self.assertEqual(current.get_attribute("id"), f"action-{position(tab)}")

    def test_the_buttons_step(self):
        tab = self.open_recording()
        for label, expected in (("Start", 0), ("Next action", 1), ("Next reducer", "2.1"), ("Previous reducer", "1.9"), ("End", 66)):
            tab.locator(f"#transport button[aria-label='{label}']").click()
            self.assert_position(tab, expected)

    def test_the_timeline_is_dragged(self):
        tab = self.open_recording()
        box = tab.locator("#slider").bounding_box()
        middle = box["y"] + min(30, box["height"] / 2)
        tab.mouse.move(box["x"] + box["width"] * 0.9, middle)
        tab.mouse.down()
        for part in range(9, 1, -1):
            tab.mouse.move(box["x"] + box["width"] * part / 10, middle)
        tab.mouse.up()
        settle(tab)
        number = int(position(tab))
        self.assertGreater(number, 5)
        self.assertLess(number, 22)

    def test_the_tree_unfolds_selects_and_pins(self):
        tab = self.open_recording(viewport={"width": 1440, "height": 3000})
        closed = tab.locator("#state-tree [aria-expanded=false] .twisty").first
        before = tab.locator("#state-tree [aria-expanded=true]").count()
        closed.click()
        self.assertGreater(tab.locator("#state-tree [aria-expanded=true]").count(), before)
        tab.locator("#state-tree [role=treeitem]:not([aria-expanded]):not(.is-removed) .key").first.click()
        path = self.selected(tab)
        tab.locator("#state button[aria-label^='Pin']").click()
        self.wait_for_address(tab, "pin=" + path)
        tab.get_by_role("tab", name="Value").click()
        self.assertIn("Set by", tab.locator("#inspector-body").text_content())
        tab.get_by_role("tab", name="Timing").click()
        self.assertIn("99", tab.locator("#inspector-body").text_content())

    def test_a_lane_goes_to_its_reducer(self):
        tab = self.open_recording("#p=12")
        tab.locator("#inspector-body .lane").nth(1).click()
        self.assert_position(tab, "12.2")

    def test_the_dividers_leave_room_for_the_state(self):
        tab = self.open_recording(viewport={"width": 1600, "height": 800})
        for at, goal in ((0, 1500), (1, 10)):
            box = tab.locator(".divider").nth(at).bounding_box()
            tab.mouse.move(box["x"], 500)
            tab.mouse.down()
            tab.mouse.move(goal, 500)
            tab.mouse.up()
        for width in (1600, 1081):
            tab.set_viewport_size({"width": width, "height": 800})
            settle(tab)
            self.assertGreater(tab.locator("#state-tree").bounding_box()["width"], 200, width)
            self.assertLessEqual(tab.evaluate("() => document.documentElement.scrollWidth"), width)

    def test_a_removed_value_unfolds(self):
        tab = self.open_recording("#p=1", write_rows(SCRATCH / "rows.jsonl"), viewport={"width": 1440, "height": 3000})
        removed = tab.locator("#state-tree .is-removed")
        removed.first.locator(".twisty").click()
        settle(tab)
        self.assertEqual(removed.count(), 4)
        self.assertEqual([it.split()[:2] for it in removed.locator("nth=1").or_(removed.locator("nth=2")).all_inner_texts()], [["name", '"row'], ["size", "3"]])
        tab.focus("#state-tree")
        removed.first.locator(".key").click()
        tab.keyboard.press("ArrowLeft")
        settle(tab)
        self.assertEqual(removed.count(), 2)

    def test_an_edit_of_a_long_text_is_in_view(self):
        tab = self.open_recording("#p=300", write_growing(SCRATCH / "edited.jsonl", "text", 300))
        old, new = tab.locator("#state-tree .is-changed .old").inner_text(), tab.locator("#state-tree .is-changed .value").last.inner_text()
        self.assertNotEqual(old, new)
        self.assertTrue(new.startswith('"…') and new.endswith('c\\n"') and old.endswith('abc"'), f"{old} → {new}")
        tab.evaluate("() => { location.hash = '#p=300&d=290'; }")
        tab.wait_for_function("() => hindsight.view.mark !== null")
        self.assert_position(tab, 300)

    def test_characters_that_cannot_be_seen_are_shown(self):
        texts = {"a\u200bb": "a\\u200bb", "c\u3164d": "c\\u3164d", "e\u2060f": "e\\u2060f", "g\U000e0041h": "g\\udb40\\udc41h"}
        recording = SCRATCH / "unseen.jsonl"
        recording.write_text(head(["r"], {"list": list(texts)}) + line({"end": True}), encoding="utf-8")
        tab = self.open_recording("#path=/list/1&tab=value", recording)
        shown = tab.locator("#state-tree").inner_text()
        for text in texts.values():
            self.assertIn(f'"{text}"', shown)
        self.assertEqual(tab.locator("pre.full").inner_text(), texts["c\u3164d"])
        state = tab.evaluate("() => textOf(hindsight.data.state(0))")
        self.assertEqual(state + "\n", tool("jump", recording, 0, "--json"))

    def test_the_tip_of_a_reducer_shows_what_cannot_be_seen_in_its_name(self):
        name = "a\u202eb"
        rows = [action("set", {name: [replacement("/count", 0, 1)]}, CREATED + 1)]
        tab = self.open_recording("#p=1", write(SCRATCH / "tip.jsonl", head([name], {"count": 0}), rows))
        self.assertEqual(tab.locator("#inspector-body .lane").get_attribute("title"), "State after a\\u202eb: 1.1")

    def test_a_search_result_is_clicked(self):
        tab = self.open_recording()
        tab.locator("#open-search").click()
        tab.keyboard.type("TEA")
        result = tab.locator("#search-results .result").first
        number = result.locator(".number").text_content().replace("start", "0")
        result.click()
        self.assert_position(tab, number)

    def test_filters_are_set_and_cleared(self):
        tab = self.open_recording()
        tab.locator("button[aria-label='More filters']").click()
        self.assertTrue(tab.locator(".filters").is_visible())
        box = tab.locator(".filters input[type=checkbox]").first
        for is_set in (True, False):
            box.click()
            settle(tab)
            self.assertEqual(tab.evaluate("() => hindsight.filtered !== null"), is_set)

    def test_an_address_points_at_a_moment(self):
        tab = self.open_recording("#p=12.2&path=/cart&pin=/cart&d=3&tab=value&changed=1")
        self.assert_position(tab, "12.2")
        view = tab.evaluate("() => ({ path: hindsight.view.path, pins: hindsight.view.pins, tab: hindsight.view.tab })")
        self.assertEqual(view, {"path": "/cart", "pins": ["/cart"], "tab": "value"})
        tab.evaluate("() => { location.hash = '#p=5'; }")
        tab.wait_for_function("() => hindsight.view.number === 5")
        # The axis begins before the start, which stands at 0.
        part = tab.evaluate("() => { hindsight.timeline.setWindow(-1, 20); return hindsight.timeline.window; }")
        self.wait_for_address(tab, "w=-")
        self.assertEqual(tab.evaluate("() => Address.read(location.hash, hindsight.data).window"), part)
        # Nonsense does no harm.
        for fragment in ("#p=99999", "#p=-1.x&path=%00&w=9-1&by=77&d=%&type=<img>", "#__proto__=1&p=__proto__", "#%E0%A4%A"):
            tab.evaluate("(fragment) => { location.hash = fragment; }", fragment)
            settle(tab)

    def test_expansion_and_scroll_stay_while_one_steps(self):
        tab = self.open_recording("#p=20", viewport={"width": 1200, "height": 500})
        tree = "document.querySelector('#state-tree')"
        folded = tab.evaluate(
            f"() => {{ {tree}.scrollTo(0, 0); return hindsight.tree.rows.find((it) => !it.isOpen && sizeOf(it.value) > 0).pointer; }}"
        )
        is_open = "(pointer) => hindsight.tree.rows.find((it) => it.pointer === pointer).isOpen"
        settle(tab)
        tab.locator("#state-tree [aria-expanded=false] .twisty").first.click()
        settle(tab)
        self.assertTrue(tab.evaluate(is_open, folded))
        tab.evaluate(f"() => {tree}.scrollTo(0, 100)")
        settle(tab)
        self.assertEqual(tab.evaluate(f"() => {tree}.scrollTop"), 100)
        tab.locator("#transport button[aria-label='Next action']").click()
        settle(tab)
        self.assertTrue(tab.evaluate(is_open, folded))
        # What changed may be scrolled into view, but the tree does not jump to its start.
        self.assertGreater(tab.evaluate(f"() => {tree}.scrollTop"), 0)


class OddTests(ViewTest):
    """Recordings that no one expects."""

    def test_nothing_to_play_is_no_position(self):
        for times, fragment in (([], ""), ([1, 2], "#p=1&text=nowhere")):
            with self.subTest(actions=len(times)):
                tab = self.open_recording(fragment, write_clock(SCRATCH / f"clock-{len(times)}.jsonl", times))
                before = position(tab)
                tab.keyboard.press("Space")
                # Playing goes on after less.
                tab.wait_for_timeout(400)
                self.assertEqual(position(tab), before)
                for key in ("t", "+", "ArrowRight", "ArrowLeft"):
                    tab.keyboard.press(key)
                    settle(tab)
                self.assertEqual(position(tab), before)

    def test_a_clock_that_jumps_back_has_a_scale_of_time(self):
        recording = write_clock(SCRATCH / "back.jsonl", [1, 5, -3, -2, 1, 6, 8])
        tab = self.open_recording("#p=3&scale=time", recording)
        places = tab.evaluate("() => hindsight.all.reduce((all, number) => [...all, hindsight.timeline.x(number)], [])")
        self.assertEqual(places, sorted(places))
        self.assertGreater(places[-1] - places[0], 300)
        box = tab.locator("#slider").bounding_box()
        tab.mouse.click(box["x"] + places[-1], box["y"] + 30)
        self.assert_position(tab, 7)
        # Actions at one time, centuries later: a tick of the ruler is less than that time's last digit.
        tab = self.open_recording("#p=20&scale=time&w=15-25", write_clock(SCRATCH / "far.jsonl", [1] + [9e9] * 30))
        self.assert_position(tab, 20)

    def test_the_scale_of_time_of_a_part_begins_with_the_part(self):
        page = make_page(RECORDING, "--from", "60")
        tab = self.open(page, "#scale=time")
        left = tab.evaluate("() => hindsight.timeline.x(61)")
        self.assertLess(left, 50)

    def test_a_page_of_one_place_counts_the_changes_elsewhere(self):
        tab = self.open(make_page(RECORDING, "--path", "/cart/totals"), "#p=4")
        body = tab.locator("#inspector-body")
        self.assertIn("Nothing changed here; 4 changes outside of this page.", body.inner_text())
        rows = tab.locator("#action-list [role=option]")
        self.assertIn("4 changes outside of this page", rows.filter(has_text="SPOON-9").first.inner_text())
        self.assertNotIn("no change", tab.locator("#action-list").inner_text())
        tab.keyboard.press("k")
        settle(tab)
        whole = json.loads(tool("show", RECORDING, 3, "--json").splitlines()[0])
        patches = [step["patch"] for step in whole["steps"] if step.get("patch")]
        outside = [path for patch in patches for _, path in lines(patch) if not path.startswith("/cart/totals/")]
        self.assertIn(f"{len(outside)} changes outside of this page.", body.inner_text())

    def test_a_cut_recording_says_so_and_its_time_begins_with_it(self):
        cut = SCRATCH / "cut.hindsight"
        tool("cut", RECORDING, 50, 60, "-o", cut, "--force")
        tab = self.open_recording("#p=0&scale=time", cut)
        self.assertIn("the actions 51 to 60", tab.locator("#inspector-body").inner_text())
        self.assertLess(tab.evaluate("() => hindsight.timeline.x(1)"), 50)

    def test_a_link_to_a_value_shows_it_in_a_narrow_window(self):
        tab = self.open_recording("#p=12&path=/cart&tab=value", viewport={"width": 360, "height": 700})
        self.assertTrue(tab.locator("#inspector-body").is_visible())
        # The buttons stand on one line.
        tops = tab.evaluate("() => [...document.querySelectorAll('#transport .icon')].map((it) => it.getBoundingClientRect().top)")
        self.assertEqual(len(set(tops)), 1)

    def test_deep_values_and_empty_keys_are_seen(self):
        state = {"": 1, " ": 2, "7": 3, "deep": 4}
        for _ in range(200):
            state = {**state, "deep": [state["deep"]]}
        recording = SCRATCH / "deep.jsonl"
        recording.write_text(head(["r"], state) + line({"end": True}), encoding="utf-8")
        tab = self.open_recording("#path=/deep" + "/0" * 199, recording, viewport={"width": 480, "height": 800})
        box = tab.locator("#state-tree [aria-selected=true] .key").bounding_box()
        self.assertLess(box["x"] + box["width"], 480)
        self.assertEqual(tab.locator("#state-tree [aria-selected=true] .depth").text_content(), "200")
        tab.keyboard.press("e")
        settle(tab)
        tab.evaluate("() => hindsight.tree.virtual.reveal(0)")
        settle(tab)
        rows = tab.locator("#state-tree [role=treeitem] .key").all_text_contents()
        self.assertEqual(rows[1:4], ['""', '" "', "7"])

    def test_thousands_of_types_have_a_short_table(self):
        recording = write_clock(SCRATCH / "types.jsonl", range(1, 1001), [f"type{number}" for number in range(1000)])
        tab = self.open_recording("#tab=timing", recording)
        tab.wait_for_selector(".timing")
        self.assertEqual(tab.locator(".timing tbody").nth(1).locator("tr").count(), 200)
        tab.get_by_role("button", name="Show all 1,000 types").click()
        self.assertEqual(tab.locator(".timing tbody").nth(1).locator("tr").count(), 1000)

    def test_an_endless_filter_is_none(self):
        tab = self.open_recording("#took=1e999&p=5")
        self.assertEqual(tab.evaluate("() => hindsight.view.filter"), {})
        self.assert_position(tab, 5)


class DoubtTests(ViewTest):
    """States that are not recorded, doubtful or redacted say so."""

    def test_a_skipped_state_says_why(self):
        tab = self.open_recording(recording=FIXTURES / "partial.hindsight")
        number = tab.evaluate(
            "() => [...hindsight.all].find((number) => hindsight.data.whyNot(number) !== null)"
        )
        tab.evaluate("(number) => { location.hash = `#p=${number}`; }", number)
        tab.wait_for_function("(number) => hindsight.view.number === number", arg=number)
        settle(tab)
        self.assertIn("left out", tab.locator("#state").text_content())

    def test_going_to_the_last_known_state_looks_at_each_action_between_a_few_times(self):
        count = 2000
        rows = [line({"action": "tick", "skipped": True, "at": CREATED + number, "duration": 1}) for number in range(count)]
        recording = write(SCRATCH / "behind.jsonl", head(["count"], {"count": 0}), rows)
        tab = self.open_recording(f"#p={count}", recording)
        looks = tab.evaluate(
            """() => {
                const { rowFlags } = hindsight.data;
                const { values } = rowFlags;
                let looks = 0;
                rowFlags.values = new Proxy(values, { get: (bits, row) => ((looks += 1), bits[row]) });
                hindsight.goToKnown();
                rowFlags.values = values;
                return looks;
            }"""
        )
        self.assert_position(tab, 0)
        self.assertLess(looks, 100 * count)

    def test_an_edit_that_did_not_lead_to_the_state_shows_no_old_text(self):
        """A doubtful text is not what its edit made of the one before, so that cannot be told from it."""
        for number, after in enumerate(["Hi", "Something else altogether, written from outside."]):
            tab = self.open_recording("#p=1", recording=write_doubt(SCRATCH / f"doubt-{number}.jsonl", after))
            self.assert_position(tab, 1)
            shown = tab.locator("#state-tree").inner_text()
            self.assertIn(after, shown)
            self.assertNotIn("\u2192", shown)
            self.assertIn("changed", shown)

    def test_doubt_is_said_of_the_states_that_are_doubtful(self):
        """The keyframe after doubtful states is exact, as `log` says."""
        recording = FIXTURES / "doubtful.hindsight"
        self.assertIn("the states in actions 36 to 45", tool("log", recording))
        self.assertIn("the state after action 45 is exact", tool("log", recording))
        tab = self.open_recording(recording=recording)
        texts = {35: None, 36: "The state after it is doubtful at /filter.", 44: "The state after it is doubtful at /filter.",
                 45: "The states within it are doubtful at /filter; the state after it is exact.", 46: None}  # fmt: skip
        for number, text in texts.items():
            tab.evaluate("(number) => hindsight.go({ number })", number)
            settle(tab)
            self.assertEqual(tab.locator("#inspector-body .problem").all_inner_texts(), [text] if text else [], number)
        # The whole state may be in doubt.
        tab = self.open_recording("#p=1", write_doubt(SCRATCH / "doubt-whole.jsonl", "Hi", path=""))
        self.assertEqual(
            tab.locator("#inspector-body .problem").all_inner_texts(),
            ["The states within it are doubtful at /; the state after it is exact."],
        )

    def test_a_redacted_value_says_so(self):
        tab = self.open_recording(recording=FIXTURES / "partial.hindsight")
        self.assertGreater(tab.locator("#state-tree .value.redacted, #state-tree .summary").count(), 0)
        self.assertIn("redacted", tab.locator("#state-tree").text_content())

    def test_a_text_that_reads_as_a_placeholder_is_none(self):
        recording = write_placeholders(SCRATCH / "placeholders.jsonl")
        tab = self.open_recording(recording=recording)
        rows = tab.locator("#state-tree [role=treeitem]").all_inner_texts()
        own, secret = (next(row for row in rows if name in row) for name in ("own", "secret"))
        self.assertIn('"[redacted]"', own)
        self.assertNotIn('"', secret)
        for path, is_redacted in (("/own", False), ("/secret", True)):
            tab.evaluate("(path) => { hindsight.select(path); hindsight.showTab('value'); }", path)
            settle(tab)
            shown = tab.locator("#inspector-body").inner_text()
            self.assertEqual("the recorder left this value out" in shown, is_redacted, path)
            self.assertEqual("what set it is not known" in shown, is_redacted, path)
            self.assertEqual(json.loads(tool("blame", recording, path, "--json"))["redacted"], is_redacted)

    def test_a_recording_that_lost_its_end_says_so(self):
        endings = {
            "lost": ({"lost": "3-4"}, "actions 3 to 4 had begun and are in no file"),
            "journal": ({"lacksJournal": "1"}, "its journal is missing or damaged: what came after action 2 is not known"),
            "died": ({"died": "2.1"}, "its process ended without closing it"),
            "idle": ({"during": {"phase": "idle", "after": 2}}, "its process ended between two actions, after action 2"),
            "told": ({"during": {"phase": "subscribers", "seq": 2}}, "its process ended while subscribers were told of action 2"),
        }
        for name, (facts, text) in endings.items():
            with self.subTest(name):
                recording = write_clock(SCRATCH / f"end-{name}.jsonl", [1, 2], facts={**facts, "recovered": 1})
                self.assertIn(text, " ".join(tool("info", recording).split()))
                # A part has the numbers of the whole.
                for options in ((), ("--from", "1")):
                    tab = self.open(make_page(recording, *options))
                    self.assertIn(text, tab.locator("#inspector-body").inner_text(), options)

    def test_the_page_says_what_it_is(self):
        tab = self.open_recording()
        self.assertIn("checkout.hindsight", tab.locator("#foot").text_content())
        self.assertRegex(tab.locator("#foot").text_content(), r"made this page.*20\d\d-\d\d-\d\d")


if __name__ == "__main__":
    unittest.main()
