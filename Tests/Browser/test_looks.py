"""The page in light and dark, zoomed, in narrow windows, and in print."""

import unittest

from browser import FIXTURES, BrowserTest, make_page, settle

RECORDING = FIXTURES / "checkout.hindsight"
VIEWS = ["#p=12", "#p=12.2&d=3", "#p=40&path=/cart/total&pin=/cart/total&tab=value", "#p=end&tab=timing"]

# Elements that stick out of the window to the right. What scrolls inside does not count.
STICKING_OUT = """
() => {
    const width = document.documentElement.clientWidth;
    const scrolls = (element) => {
        for (let it = element.parentElement; it; it = it.parentElement) {
            if (/(auto|scroll|hidden|clip)/.test(getComputedStyle(it).overflowX)) return true;
        }
        return false;
    };
    return [...document.body.querySelectorAll('*')]
        .filter((it) => it.checkVisibility() && it.getBoundingClientRect().right > width + 1 && !scrolls(it))
        .map((it) => `${it.tagName} ${it.className}`);
}
"""


class LookTests(BrowserTest):
    def test_light_and_dark_are_different_and_the_switch_works(self):
        backgrounds = {}
        for scheme in ("light", "dark"):
            tab = self.open(make_page(RECORDING), color_scheme=scheme)
            color = "() => getComputedStyle(document.body).backgroundColor"
            backgrounds[scheme] = tab.evaluate(color)
            tab.keyboard.press("Shift+T")
            settle(tab)
            self.assertNotEqual(tab.evaluate(color), backgrounds[scheme])
            tab.locator("#theme").click()
            settle(tab)
            self.assertEqual(tab.evaluate(color), backgrounds[scheme])
        self.assertNotEqual(backgrounds["light"], backgrounds["dark"])
        self.assertGreater(lightness(backgrounds["light"]), 200)
        self.assertLess(lightness(backgrounds["dark"]), 60)

    def test_nothing_sticks_out_of_the_window(self):
        # 360 × 225 is a window of 1440 × 900 at 400 %.
        for width, height in ((1440, 900), (1024, 700), (480, 800), (360, 225), (320, 640)):
            for fragment in VIEWS:
                with self.subTest(width=width, height=height, fragment=fragment):
                    tab = self.open(make_page(RECORDING), fragment, viewport={"width": width, "height": height})
                    self.assertEqual(tab.evaluate(STICKING_OUT), [])
                    scrolls = tab.evaluate("() => document.documentElement.scrollWidth > innerWidth")
                    self.assertFalse(scrolls, "the page scrolls sideways")
                    tab.context.close()

    def test_all_panels_are_reached_in_a_narrow_window_and_at_400_percent(self):
        for width, height in ((480, 800), (360, 225)):
            with self.subTest(width=width, height=height):
                tab = self.open(make_page(RECORDING), viewport={"width": width, "height": height}, device_scale_factor=4)
                for name, content in (("Actions", "#action-list"), ("State", "#state-tree"), ("Inspector", "#inspector-body")):
                    button = tab.locator("#switcher").get_by_role("button", name=name)
                    button.scroll_into_view_if_needed()
                    button.click()
                    settle(tab)
                    self.assertTrue(tab.locator(content).is_visible(), f"{name} is not shown")
                    box = tab.locator(content).bounding_box()
                    self.assertGreater(box["width"], 150)
                    self.assertGreater(box["height"], 60)
                tab.keyboard.press("?")
                self.assertTrue(tab.locator("dialog.help-sheet").is_visible())
                tab.context.close()

    def test_motion_is_reduced_when_asked(self):
        tab = self.open(make_page(RECORDING), reduced_motion="reduce")
        longest = tab.evaluate(
            """() => Math.max(...[...document.querySelectorAll('*')].map((it) => {
                const style = getComputedStyle(it);
                return Math.max(parseFloat(style.transitionDuration), parseFloat(style.animationDuration));
            }))"""
        )
        self.assertLess(longest, 0.02)

    def test_the_timeline_is_printed(self):
        tab = self.open(make_page(RECORDING), "#p=12")
        # In print, what one canvas clears is white above the canvas below it.
        cleared = tab.evaluate(
            """() => {
                let count = 0;
                const { clearRect } = CanvasRenderingContext2D.prototype;
                CanvasRenderingContext2D.prototype.clearRect = function (...box) { count += this.canvas.className === 'over'; clearRect.apply(this, box); };
                dispatchEvent(new Event('beforeprint'));
                const printed = [count, hindsight.timeline.over.toDataURL().length > 1000];
                dispatchEvent(new Event('afterprint'));
                return [...printed, count];
            }"""
        )
        settle(tab)
        self.assertEqual(cleared, [0, True, 1])

    def test_it_prints(self):
        tab = self.open(make_page(RECORDING), "#p=12")
        pdf = tab.pdf(format="A4")
        self.assertTrue(pdf.startswith(b"%PDF"))
        self.assertGreater(len(pdf), 10_000)
        tab.emulate_media(media="print")
        settle(tab)
        self.assertTrue(tab.locator("#state-tree").is_visible())


def lightness(color):
    red, green, blue = (int(part) for part in color[color.index("(") + 1 : -1].split(",")[:3])
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


if __name__ == "__main__":
    unittest.main()
