"""What the tests of the page share: the tool, pages, and a browser without a network."""

import atexit
import os
import pathlib
import shlex
import shutil
import subprocess
import tempfile
import unittest

from playwright.sync_api import sync_playwright

ROOT = pathlib.Path(__file__).resolve().parents[2]
FIXTURES = ROOT / "Fixtures"
TOOL = os.environ.get("HINDSIGHT_TOOL", str(ROOT / ".build/debug/hindsight"))
# Another program that makes pages as `hindsight view FILE -o OUT` does.
VIEW = shlex.split(os.environ.get("HINDSIGHT_VIEW", f"{shlex.quote(TOOL)} view"))
CHROMIUM = os.environ.get("CHROMIUM") or next(
    (found for name in ("chromium", "chromium-browser", "google-chrome") if (found := shutil.which(name))), None
)
SCRATCH = pathlib.Path(tempfile.mkdtemp(prefix="hindsight-browser-"))
atexit.register(shutil.rmtree, SCRATCH, ignore_errors=True)

# How many milliseconds a test waits for what should come at once, and does not on a busy machine.
PATIENCE = 60_000
SEED = int(os.environ.get("HINDSIGHT_SEED", "20261122"))


def tool(*arguments):
    """Runs the tool. Returns its standard output; any exit code but 0 and 1 (a difference) is an error."""
    done = subprocess.run([TOOL, *map(str, arguments)], capture_output=True, text=True, encoding="utf-8")
    if done.returncode > 1:
        raise AssertionError(f"hindsight {shlex.join(map(str, arguments))}: {done.stderr}")
    return done.stdout


def make_page(recording, *options):
    """Makes the page of a recording, once. Returns its path."""
    name = "-".join([pathlib.Path(recording).stem, *map(str, options)]).replace("/", "_")
    page = SCRATCH / f"{name}.html"
    if not page.exists():
        subprocess.run([*VIEW, str(recording), "-o", str(page), *map(str, options)], check=True, capture_output=True)
    return page


class BrowserTest(unittest.TestCase):
    """Opens pages from disk. Fails if one asks for anything else, reports an error, or opens a dialog."""

    browser = None

    @classmethod
    def setUpClass(cls):
        """Starts the browser, which all tests share. Each has a context of its own."""
        if BrowserTest.browser is not None:
            return
        if CHROMIUM is None:
            raise RuntimeError("There is no Chromium. `make test-browser` brings it.")
        playwright = sync_playwright().start()
        atexit.register(playwright.stop)
        arguments = ["--host-resolver-rules=MAP * ~NOTFOUND", "--enable-precise-memory-info"]
        # Root has no sandbox.
        if os.geteuid() == 0:
            arguments.append("--no-sandbox")
        BrowserTest.browser = playwright.chromium.launch(executable_path=CHROMIUM, args=arguments)
        atexit.register(BrowserTest.browser.close)

    def setUp(self):
        self.contexts = []
        self.faults = []

    def tearDown(self):
        for context in self.contexts:
            context.close()
        self.assertEqual(self.faults, [], "the page reported errors, asked for something or opened a dialog")

    def open(self, page, fragment="", timeout=PATIENCE, **options):
        """Opens a page, and waits until it is usable."""
        options.setdefault("viewport", {"width": 1440, "height": 900})
        context = self.browser.new_context(offline=True, **options)
        self.contexts.append(context)
        tab = context.new_page()
        tab.set_default_timeout(timeout)
        address = pathlib.Path(page).as_uri()

        def note_request(request):
            if request.url.split("#")[0] != address and not request.url.startswith("data:"):
                self.faults.append(f"request: {request.url}")

        def note_message(message):
            if message.type in ("error", "warning"):
                self.faults.append(f"console: {message.text}")

        def note_dialog(dialog):
            self.faults.append(f"dialog: {dialog.message}")
            dialog.dismiss()

        tab.on("request", note_request)
        tab.on("console", note_message)
        tab.on("pageerror", lambda error: self.faults.append(f"error: {error}"))
        tab.on("dialog", note_dialog)
        tab.on("popup", lambda popup: self.faults.append(f"popup: {popup.url}"))
        tab.goto(address + fragment)
        tab.wait_for_function("() => document.documentElement.dataset.ready !== undefined")
        settle(tab)
        return tab

    def pointers(self, tab):
        """The pointers to all values of the last state."""
        return tab.evaluate(
            """() => {
                const pointers = [];
                const walk = (value, parts) => {
                    pointers.push(pointerOf(parts));
                    const members = value instanceof Map || Array.isArray(value) ? value.entries() : [];
                    for (const [key, member] of members) walk(member, [...parts, String(key)]);
                };
                walk(hindsight.data.state(hindsight.data.last), []);
                return pointers;
            }"""
        )


def settle(tab):
    """Waits until what was asked for is painted."""
    tab.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done))))")


def facts(tab):
    """The positions of the page's recording, and the names of its reducers."""
    return tab.evaluate(
        "() => ({ first: hindsight.data.first, last: hindsight.data.last, reducers: hindsight.data.head.reducers })"
    )
