"""Tests `hindsight view --live` from outside: who is answered, and how soon new actions are there."""

import http.client
import json
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import tempfile
import time
import unittest

TOOL = os.environ["HINDSIGHT_TOOL"]
# How many seconds a test waits for what should come at once, and does not on a busy machine.
PATIENCE = 60
ADD = '{"add":{"title":"%s"}}\n'


class LiveTest(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="hindsight-live-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def record(self, name):
        """Starts a recorder, which dispatches the lines that `self.send` writes."""
        words = [TOOL, "record", "--app", "todo", "--input", "-", name]
        recorder = subprocess.Popen(words, cwd=self.folder, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL)
        self.addCleanup(recorder.wait)
        self.addCleanup(recorder.stdin.close)
        return recorder

    def send(self, recorder, title):
        recorder.stdin.write((ADD % title).encode())
        recorder.stdin.flush()

    def serve(self, place):
        words = [TOOL, "view", "--live", "--json", str(place)]
        server = subprocess.Popen(words, cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(server.communicate)
        self.addCleanup(server.kill)
        address = json.loads(server.stdout.readline())["address"]
        self.host, _, path = address.removeprefix("http://").partition("/")
        self.path = "/" + path
        return server

    def ask(self, path, method="GET", **headers):
        connection = http.client.HTTPConnection(self.host, timeout=PATIENCE)
        connection.request(method, path, headers=headers)
        reply = connection.getresponse()
        body = reply.read().decode()
        connection.close()
        return reply, body

    def rows(self, after):
        reply, body = self.ask(f"{self.path}rows?after={after}")
        self.assertEqual(reply.status, 200, body)
        return reply, [json.loads(line) for line in body.splitlines()]

    def wait_for_rows(self, after, count):
        deadline = time.monotonic() + PATIENCE
        while True:
            reply, rows = self.rows(after)
            if len(rows) >= count or time.monotonic() > deadline:
                self.assertEqual(len(rows), count)
                return reply, rows
            time.sleep(0.05)

    def test_new_actions_arrive_until_the_recording_ends(self):
        recorder = self.record("s.hindsight")
        self.send(recorder, "one")
        self.serve("s.hindsight")
        reply, page = self.ask(self.path)
        self.assertEqual(reply.status, 200)
        self.assertIn("connect-src 'self'", page)
        self.assertNotIn('"title":"one"', page)
        reply, rows = self.wait_for_rows(0, 1)
        self.assertIsNone(reply.getheader("Hindsight-Over"))
        run = reply.getheader("Hindsight-Run")
        for number, title in enumerate(["two", "three"], 1):
            self.send(recorder, title)
            _, rows = self.wait_for_rows(number, 1)
            self.assertEqual(rows[0]["payload"]["add"]["title"], title)
            self.assertIn("changes", rows[0])
        recorder.stdin.close()
        recorder.wait()
        reply, rows = self.rows(0)
        self.assertEqual(len(rows), 3)
        self.assertEqual(reply.getheader("Hindsight-Over"), "1")
        exported = subprocess.run([TOOL, "export", "s.hindsight"], cwd=self.folder, capture_output=True, text=True)
        self.assertEqual(rows, [json.loads(line) for line in exported.stdout.splitlines()[1:-1]])
        self.assertEqual(reply.getheader("Hindsight-Run"), run)

    def test_the_first_line_says_how_a_killed_recorder_ended(self):
        recorder = self.record("s.hindsight")
        self.send(recorder, "one")
        self.serve("s.hindsight")
        reply, _ = self.wait_for_rows(0, 1)
        self.assertEqual(reply.getheader("Hindsight-Ending"), "live")
        reply, head = self.ask(f"{self.path}head")
        self.assertNotIn("during", json.loads(head)["facts"])
        recorder.kill()
        recorder.wait()
        reply, rows = self.rows(1)
        self.assertEqual((reply.getheader("Hindsight-Ending"), rows), ("open", []))
        reply, head = self.ask(f"{self.path}head")
        self.assertEqual(reply.getheader("Hindsight-Ending"), "open")
        self.assertEqual(json.loads(head)["facts"]["during"], {"phase": "idle", "after": 1})

    def test_the_newest_recording_of_a_folder_is_followed(self):
        (self.folder / "runs").mkdir()
        first = self.record("runs/a.hindsight")
        self.send(first, "first")
        first.stdin.close()
        first.wait()
        self.serve("runs")
        run = self.wait_for_rows(0, 1)[0].getheader("Hindsight-Run")
        second = self.record("runs/b.hindsight")
        self.send(second, "second")
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            reply, rows = self.rows(0)
            if reply.getheader("Hindsight-Run") != run and rows:
                break
            time.sleep(0.05)
        self.assertEqual(rows[0]["payload"]["add"]["title"], "second")

    def test_strangers_are_refused(self):
        self.record("s.hindsight").stdin.close()
        deadline = time.monotonic() + PATIENCE
        while not (self.folder / "s.hindsight").exists() and time.monotonic() < deadline:
            time.sleep(0.05)
        self.serve("s.hindsight")
        token = self.path.strip("/")
        self.assertEqual(len(token), 32)
        port = int(self.host.rpartition(":")[2])
        for path, method, headers, status in [
            (self.path, "GET", {}, 200),
            (self.path, "GET", {"Origin": f"http://{self.host}"}, 200),
            (self.path, "GET", {"Host": f"evil.example:{port}"}, 403),
            (self.path, "GET", {"Host": f"localhost:{port}"}, 403),
            (self.path, "GET", {"Origin": "http://evil.example"}, 403),
            (self.path, "POST", {}, 405),
            (self.path, "PUT", {}, 405),
            ("/", "GET", {}, 404),
            (f"/{token[:-1]}/", "GET", {}, 404),
            (f"{self.path}../../etc/passwd", "GET", {}, 404),
        ]:
            reply, _ = self.ask(path, method, **headers)
            self.assertEqual(reply.status, status, (path, method, headers))
            self.assertIsNone(reply.getheader("Access-Control-Allow-Origin"))
        for address in {found[4][0] for found in socket.getaddrinfo(socket.gethostname(), None, socket.AF_INET)}:
            if address.startswith("127."):
                continue
            with self.assertRaises(OSError):
                socket.create_connection((address, port), timeout=2)

    def test_control_c_ends_it_and_a_signal_stops_it(self):
        recorder = self.record("s.hindsight")
        self.send(recorder, "one")
        for number, code in ((signal.SIGINT, 0), (signal.SIGTERM, -signal.SIGTERM)):
            with self.subTest(number.name):
                server = self.serve("s.hindsight")
                self.ask(self.path)
                server.send_signal(number)
                self.assertEqual(server.wait(timeout=PATIENCE), code)


if __name__ == "__main__":
    unittest.main()
