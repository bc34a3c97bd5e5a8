"""Texts of a recording never run, and are shown as text."""

import json
import unittest

from browser import FIXTURES, SCRATCH, BrowserTest, make_page, settle, tool
from recordings import CREATED, HOSTILE, KEYS, head, line, write_hostile

# What the page's own files have, and nothing else.
ELEMENTS = """
() => {
    const counts = {};
    for (const it of document.querySelectorAll('*')) counts[it.localName] = (counts[it.localName] ?? 0) + 1;
    const attributes = new Set();
    for (const it of document.querySelectorAll('*')) {
        for (const { name } of it.attributes) if (/^on|^(href|src|srcdoc|action|formaction)$/.test(name)) attributes.add(name);
    }
    return {
        scripts: counts.script, styles: counts.style, owned: window.owned ?? null, polluted: ({}).owned ?? null,
        strange: Object.keys(counts).filter((name) => /^(img|iframe|object|embed|link|base|form|a|animate|foreignobject|video|audio|marquee)$/.test(name)),
        attributes: [...attributes],
    };
}
"""


class HostileTests(BrowserTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        # Even the file's name is hostile.
        cls.recording = write_hostile(SCRATCH / "<img src=x onerror='owned=1'>${owned=2}\u202e.jsonl")
        cls.page = make_page(cls.recording)

    def assert_harmless(self, tab, scripts):
        found = tab.evaluate(ELEMENTS)
        self.assertEqual(found["strange"], [])
        self.assertEqual(found["attributes"], [])
        self.assertIsNone(found["owned"])
        self.assertIsNone(found["polluted"])
        self.assertEqual((found["scripts"], found["styles"]), scripts)

    def test_hostile_texts_run_in_no_view(self):
        tab = self.open(self.page)
        before = tab.evaluate(ELEMENTS)
        scripts = (before["scripts"], before["styles"])
        self.assert_harmless(tab, scripts)
        last = tab.evaluate("() => hindsight.data.last")
        self.assertEqual(last, len(HOSTILE) + len(KEYS))
        for number in range(0, last + 1):
            tab.evaluate("(number) => { location.hash = `#p=${number}&tab=action`; }", number)
            tab.wait_for_function("(number) => hindsight.view.number === number", arg=number)
            settle(tab)
            self.assert_harmless(tab, scripts)
        tab.focus("#state-tree")
        for key in ("2", "*", "ArrowDown", "ArrowRight", "*", "v", "p", "x", "d", "Home", "ArrowDown", "ArrowDown", "p", "b", "t"):
            tab.keyboard.press(key)
            settle(tab)
            self.assert_harmless(tab, scripts)
        for tab_name in ("Action", "Value", "Timing"):
            tab.get_by_role("tab", name=tab_name).click()
            settle(tab)
            self.assert_harmless(tab, scripts)
        # Tooltips, menus and lists follow the pointer.
        box = tab.locator("#slider").bounding_box()
        for part in range(0, 20):
            tab.mouse.move(box["x"] + box["width"] * part / 20, box["y"] + box["height"] / 2)
        tab.locator("button[aria-label='More filters']").click()
        settle(tab)
        self.assert_harmless(tab, scripts)

    def test_every_path_can_be_selected(self):
        tab = self.open(self.page)
        before = tab.evaluate(ELEMENTS)
        pointers = self.pointers(tab)
        self.assertGreater(len(pointers), 80)
        for pointer in pointers[::5]:
            tab.evaluate(
                "(pointer) => { hindsight.select(pointer, { isShown: true }); hindsight.showTab('value'); }", pointer
            )
            settle(tab)
            self.assertEqual(tab.evaluate("() => hindsight.view.path"), pointer)
        self.assert_harmless(tab, (before["scripts"], before["styles"]))

    def test_hostile_texts_are_found_and_shown(self):
        tab = self.open(self.page)
        for text in (HOSTILE[0], HOSTILE[1], HOSTILE[3], HOSTILE[10]):
            tab.locator("#open-search").click()
            tab.locator(".search-input").first.fill(text)
            tab.wait_for_function(
                "(text) => document.querySelector('#search-results')?.textContent.includes(text)", arg=text[:40]
            )
            tab.keyboard.press("Escape")
        body = tab.locator("body").inner_text()
        self.assertIn("<img src=x onerror='window.owned = 2'>", body, "the app's name")
        self.assertNotIn("\u202e", body, "a mark that reorders the line is shown as an escape")

    def test_names_that_javascript_knows_are_only_names(self):
        tab = self.open(self.page)
        for key in KEYS:
            found = tab.evaluate(
                "(key) => textOf(hindsight.data.value(hindsight.data.first, pointerOf(['keys', key])))",
                key,
            )
            expected = {"__proto__": {"owned": 12}, key: key} if key != "__proto__" else {"__proto__": key}
            self.assertEqual(json.loads(found), expected)
        self.assertEqual(tab.evaluate("async () => (await hindsight.data.filter({ path: '/keys/__proto__' })).length"), 0)

    def test_the_recorded_terminal_escapes_are_shown_as_escapes(self):
        tab = self.open(make_page(FIXTURES / "escapes.hindsight"))
        text = tab.locator("body").inner_text()
        for character in ("\u001b", "\u0007", "\u009b", "\u202e"):
            self.assertNotIn(character, text)
        self.assertIn("\\u001b", text)

    def test_half_pairs_and_odd_numbers_are_read_as_written(self):
        tab = self.open(make_page(FIXTURES / "escapes.hindsight"))
        head = {"hindsight": "recording", "text": 1, "app": "x", "version": "", "platform": "", "created": 0}
        texts = {
            '"\\ud83d\\ude00"': '"\U0001f600"',
            '"\\u202e\\u0000"': '"\\u202e\\u0000"',
            "18446744073709551615": None,
            "-0.0": None,
            "1.50": None,
            "1e+300": None,
            "9007199254740993": None,
            "-9223372036854775808": None,
            '{"$data":"AAEC"}': None,
            '{"$$data":"AAEC"}': None,
            '{"__proto__":1,"2":0,"1":0}': None,
            '"\\ud800"': "any",
        }
        for text, expected in texts.items():
            line = json.dumps({**head, "facts": {}, "reducers": []}, separators=(",", ":"))[:-1] + f',"state":{text}}}\n'
            read = tab.evaluate(
                """async (text) => {
                    const bytes = new TextEncoder().encode(text);
                    const data = await RecordingData.read(new Blob([bytes]).stream(), { bytes: bytes.length });
                    return textOf(data.state(0));
                }""",
                line + '{"end":true}\n',
            )
            if expected != "any":
                self.assertEqual(read, expected or text)

    def test_odd_numbers_are_read_in_payloads_and_changes(self):
        numbers = ["1e+300", "-1e-07", "1.5e+16", "18446744073709551615", "0"]
        path = SCRATCH / "numbers.jsonl"
        state = "0"
        lines = [head(["r"], 0)]
        for number, text in enumerate(numbers, 1):
            lines.append(
                f'{{"action":"set","payload":{{"set":{{"_0":{text},"list":[{text},{text}]}}}},"changes":{{"r":[{{"op":"replace",'
                f'"path":"","old":{state},"value":{text}}}]}},"at":{CREATED + number},"duration":10,"times":[10]}}\n'
            )
            state = text
        path.write_text("".join([*lines, line({"end": True})]), encoding="utf-8")
        tab = self.open(make_page(path))
        for number, text in enumerate(numbers, 1):
            self.assertEqual(tab.evaluate("(number) => textOf(hindsight.data.state(number))", number), text)
            self.assertEqual(text, tool("jump", path, number, "--recorded", "--json").strip())

    def test_the_policy_forbids_everything_else(self):
        tab = self.open(self.page)
        policy = tab.get_attribute("meta[http-equiv='Content-Security-Policy']", "content")
        for part in ("default-src 'none'", "base-uri 'none'", "form-action 'none'"):
            self.assertIn(part, policy)
        self.assertNotIn("unsafe", policy)
        refused = tab.evaluate(
            """async () => {
                const refused = [];
                const script = document.createElement('script');
                try {
                    script.textContent = 'window.owned = 1';
                    document.body.append(script);
                } catch { refused.push('trusted types'); }
                try { await fetch('data:,x'); } catch { refused.push('fetch'); }
                const image = new Image();
                image.src = 'https://example.com/x.png';
                await new Promise((resolve) => { image.onerror = resolve; setTimeout(resolve, 500); });
                const frame = document.createElement('div');
                try { frame.innerHTML = '<img src=x onerror="window.owned = 2">'; } catch { refused.push('html'); }
                return { refused, owned: window.owned ?? null };
            }"""
        )
        self.assertEqual(refused["refused"], ["trusted types", "fetch", "html"])
        self.assertIsNone(refused["owned"])
        # The browser reported what this test attempted, and it reached no network.
        self.faults = [
            fault for fault in self.faults if "Content Security Policy" not in fault and "Trusted" not in fault
        ]
        self.faults = [fault for fault in self.faults if "example.com" not in fault]


if __name__ == "__main__":
    unittest.main()
