"""Accessibility, checked by axe-core (which playwright's package of it brings), and by the browser's own tree."""

import pathlib
import unittest

import axe_playwright_python

from browser import FIXTURES, BrowserTest, make_page, settle

AXE = pathlib.Path(axe_playwright_python.__file__).with_name("axe.min.js").read_text(encoding="utf-8")
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
CHECK = """
async (tags) => {
    const { violations } = await axe.run(document, { runOnly: { type: 'tag', values: tags } });
    return violations.map(({ id, help, nodes }) => ({ id, help, nodes: nodes.slice(0, 4).map((it) => it.html.slice(0, 160)) }));
}
"""
VIEWS = {
    "an action": "#p=12",
    "a reducer, and a mark": "#p=12.2&d=3",
    "a value that is pinned": "#p=40&path=/cart&pin=/cart&tab=value",
    "times": "#p=end&tab=timing",
    "filters": "#p=20&changed=1&text=a",
}


class AccessibilityTests(BrowserTest):
    def assert_accessible(self, tab):
        settle(tab)
        # Not a script of the page: its policy forbids others.
        tab.evaluate(AXE)
        self.assertEqual(tab.evaluate(CHECK, RULES), [])

    def test_all_views_pass_axe_in_light_and_dark(self):
        page = make_page(FIXTURES / "checkout.hindsight")
        for scheme in ("light", "dark"):
            for name, fragment in VIEWS.items():
                with self.subTest(scheme=scheme, view=name):
                    tab = self.open(page, fragment, color_scheme=scheme)
                    self.assert_accessible(tab)
                    tab.context.close()

    def test_dialogs_and_filters_pass_axe(self):
        page = make_page(FIXTURES / "todo.hindsight")
        for scheme in ("light", "dark"):
            with self.subTest(scheme=scheme):
                tab = self.open(page, color_scheme=scheme)
                tab.keyboard.press("?")
                self.assert_accessible(tab)
                tab.keyboard.press("Escape")
                settle(tab)
                tab.keyboard.press("g")
                self.assert_accessible(tab)
                tab.keyboard.press("Escape")
                settle(tab)
                tab.keyboard.press("/")
                tab.keyboard.type("trip")
                tab.wait_for_selector("#search-results .result")
                self.assert_accessible(tab)
                tab.keyboard.press("Escape")
                settle(tab)
                tab.locator("button[aria-label='More filters']").click()
                self.assert_accessible(tab)
                tab.context.close()

    def test_a_narrow_window_passes_axe(self):
        tab = self.open(make_page(FIXTURES / "partial.hindsight"), viewport={"width": 480, "height": 800})
        self.assert_accessible(tab)

    def test_a_state_that_is_not_recorded_passes_axe(self):
        tab = self.open(make_page(FIXTURES / "partial.hindsight"), "#p=46")
        self.assert_accessible(tab)

    def test_screen_readers_get_a_list_a_tree_and_a_slider(self):
        tab = self.open(make_page(FIXTURES / "checkout.hindsight"), "#p=12")
        snapshot = tab.locator("body").aria_snapshot()
        for part in ("slider", 'listbox "Actions', 'tree "State"', "tablist", "treeitem", "option", "heading"):
            self.assertIn(part, snapshot)
        # A part of a list says how long the list is, and which part it is.
        option = tab.locator("#action-list [role=option]").first
        self.assertGreater(int(option.get_attribute("aria-setsize")), 10)
        self.assertGreaterEqual(int(option.get_attribute("aria-posinset")), 1)
        active = tab.get_attribute("#action-list", "aria-activedescendant")
        self.assertEqual(tab.locator(f"#{active}").get_attribute("aria-selected"), "true")
        self.assertEqual(tab.locator("[role=status][aria-live=polite]").count(), 1)


if __name__ == "__main__":
    unittest.main()
