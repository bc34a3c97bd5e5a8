"""The tree and the list of changes, as elements of the page, say what `jump` and `diff` print."""

import json
import random
import unittest

from browser import FIXTURES, SCRATCH, SEED, BrowserTest, facts, make_page, settle, tool
from recordings import write_long, write_rows
from views import CHANGES, MARKS, differences, go, lines, position, shown_tree

RECORDINGS = ["todo", "checkout", "notepad", "partial", "bridged"]
POSITIONS = 200


class ShownTests(BrowserTest):
    def test_the_page_shows_the_state_that_jump_prints_and_the_changes_that_diff_prints(self):
        chance = random.Random(SEED)
        for name in RECORDINGS:
            recording = FIXTURES / f"{name}.hindsight"
            # High enough for all rows of the tree.
            tab = self.open(make_page(recording), viewport={"width": 1440, "height": 6000})
            bounds = facts(tab)
            tab.focus("#state-tree")
            whole = 0
            for turn in range(POSITIONS // len(RECORDINGS)):
                number = chance.randint(bounds["first"], bounds["last"])
                within = number > bounds["first"] and chance.random() < 0.3
                place = f"{number}.{chance.randint(1, len(bounds['reducers']))}" if within else f"{number}"
                mark = f"{chance.randint(bounds['first'], bounds['last'])}"
                with self.subTest(recording=name, position=place, mark=mark, seed=SEED):
                    go(tab, f"#p={place}&d={mark}")
                    settle(tab)
                    self.assertEqual(position(tab), place)
                    if turn == 0:
                        tab.keyboard.press("e")
                        tab.keyboard.press("e")
                        settle(tab)
                    whole += self.compare(tab, recording, place, mark)
            self.assertGreater(whole, 0, "the tree was never shown as a whole")
            tab.context.close()

    def compare(self, tab, recording, place, mark):
        try:
            state = json.loads(tool("jump", recording, place, "--recorded", "--json"))
        except AssertionError:
            # Not recorded. The page says so instead of a tree.
            self.assertEqual(tab.locator("#state-tree [role=treeitem]").count(), 0)
            self.assertTrue(tab.locator("#state .empty").is_visible())
            return 0
        (root,), is_whole = shown_tree(tab)
        self.assertEqual(differences(state, root) if is_whole else [], [])
        try:
            patch = json.loads(tool("diff", recording, mark, place, "--recorded", "--json"))["patch"]
        except AssertionError:
            return int(is_whole)
        if len(lines(patch)) < 200:
            self.assertEqual(tab.evaluate(CHANGES), lines(patch))
        self.compare_marks(tab, lines(patch))
        return int(is_whole)

    def compare_marks(self, tab, expected):
        """The tree marks what the inspector lists, and both count the lines of `diff`."""
        count, places = tab.evaluate(MARKS)
        shown = f"{len(expected):,} change{'' if len(expected) == 1 else 's'}" if expected else ""
        self.assertEqual(count, [shown, shown])
        # Two edits of a text are two lines, and one place.
        added_or_changed = {tuple(it) for it in expected if it[0] != "removed"}
        self.assertEqual({tuple(it) for it in places}, added_or_changed)

    def test_elements_that_stay_have_no_mark(self):
        tab = self.open(make_page(write_rows(SCRATCH / "rows.jsonl")), "#p=1", viewport={"width": 1440, "height": 3000})
        # Two rows came, two went, and one of those that moved was changed: each by a reducer of its own.
        moved = [["removed", "/rows/3"], ["removed", "/rows/4"], ["added", "/rows/299"], ["added", "/rows/300"], ["changed", "/rows/349/name"]]
        self.assertEqual(tab.evaluate(CHANGES), moved)
        self.compare_marks(tab, moved)
        removed = tab.locator("#state-tree .is-removed")
        self.assertEqual(removed.count(), 2)
        self.assertIn("row 3", removed.first.text_content())
        # Later steps move what earlier ones marked.
        go(tab, "#p=2")
        settle(tab)
        count, places = tab.evaluate(MARKS)
        self.assertEqual(count, ["4 changes", "4 changes"])
        self.assertEqual(sorted(places), [["added", "/rows/0"], ["changed", "/rows/11/name"]])
        self.assertEqual(tab.locator("#state-tree .is-changed .old").text_content(), '"row 12"')
        # Since the mark, the changes are those of `diff`.
        go(tab, "#p=2&d=0")
        settle(tab)
        patch = json.loads(tool("diff", SCRATCH / "rows.jsonl", 0, 2, "--json"))["patch"]
        self.compare_marks(tab, lines(patch))

    def test_what_went_from_a_long_container_is_shown(self):
        for mode, place in (("", "#p=1"), ("u", "#p=2"), ("", "#p=3")):
            with self.subTest(place):
                tab = self.open(make_page(write_long(SCRATCH / "long.jsonl")), place, viewport={"width": 1440, "height": 6000})
                tab.focus("#state-tree")
                for key in [*mode, "n"]:
                    tab.keyboard.press(key)
                settle(tab)
                removed = tab.locator("#state-tree .is-removed")
                self.assertEqual(removed.count(), 1)
                self.assertEqual(removed.get_attribute("aria-selected"), "true")
                tab.context.close()


if __name__ == "__main__":
    unittest.main()
