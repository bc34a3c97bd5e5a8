"""The tree and the list of changes, as elements of the page, say what `jump` and `diff` print."""

import json
import random
import unittest

from browser import FIXTURES, SEED, BrowserTest, facts, make_page, settle, tool
from views import CHANGES, differences, go, lines, position, shown_tree

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
        return int(is_whole)


if __name__ == "__main__":
    unittest.main()
