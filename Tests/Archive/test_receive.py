"""Tests `archive receive`, `archive token`, and the uploader of apps against it."""

import concurrent.futures
import functools
import hashlib
import http.client
import http.server
import json
import os
import pathlib
import random
import re
import shutil
import signal
import socket
import subprocess
import threading
import time
import unittest
import zlib

from support import PATIENCE, SEED, TOOL, TORTURE, ArchiveTest, Server, json_lines, tool

UPLOADING_APP = os.environ.get("HINDSIGHT_UPLOADING_APP")
CRASHING_APP = os.environ.get("HINDSIGHT_CRASHING_APP")
PART = 256 << 10


def digest(data):
    return hashlib.sha256(data).hexdigest()


def manifest(path, name=None):
    """The manifest of a recording as bytes, and its parts by their hashes."""
    parts, files = {}, []
    for suffix in ["", "-wal", "-journal", "-ahead"]:
        file = pathlib.Path(f"{path}{suffix}")
        if not file.exists() or (suffix and not file.stat().st_size):
            continue
        data = file.read_bytes()
        pieces = [data[start : start + PART] for start in range(0, len(data), PART)]
        parts |= {digest(piece): piece for piece in pieces}
        files.append({"suffix": suffix, "bytes": len(data), "parts": [digest(piece) for piece in pieces]})
    return json.dumps({"name": name or pathlib.Path(path).name, "files": files}).encode(), parts


class Receiver:
    """`archive receive` on a free port."""

    def __init__(self, test, *words, url=None, port=0):
        self.lines = []
        self.process = subprocess.Popen(
            [TOOL, "archive", "receive", url or test.url, "--listen", str(port), "--json", *map(str, words)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        test.addCleanup(self.kill)
        self.port = int(json.loads(self.process.stdout.readline())["listening"].rpartition(":")[2])
        self.address = f"http://127.0.0.1:{self.port}"

    def kill(self):
        if self.process.poll() is None:
            self.process.kill()
        self.process.communicate()

    def stop(self):
        """Ends it as Ctrl-C does, and returns the lines that it printed."""
        self.process.send_signal(signal.SIGINT)
        output, errors = self.process.communicate(timeout=PATIENCE)
        self.errors = errors
        return json_lines(output)

    def accepted(self):
        """The number of its connections; those that it has not accepted have no inode yet."""
        rows = [row.split() for row in pathlib.Path("/proc/net/tcp").read_text().splitlines()[1:]]
        return sum(row[1].endswith(f":{self.port:04X}") and row[3] == "01" and row[9] != "0" for row in rows)

    def peak(self):
        """The most memory that it had, in MB."""
        status = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
        return int(re.search(r"VmHWM:\s+(\d+)", status)[1]) / 1024

    def send(self, method, path, body=b"", token=None, headers={}, timeout=60):
        """The status, the headers and the parsed body of an answer."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=timeout)
        try:
            words = {"Authorization": f"Bearer {token}"} if token else {}
            connection.request(method, path, body, words | headers)
            answer = connection.getresponse()
            text = answer.read()
            return answer.status, answer.headers, json.loads(text) if text else None
        finally:
            connection.close()

    def upload(self, path, token, parts=None, name=None):
        """Sends a recording as a device does, and returns the last answer."""
        text, pieces = manifest(path, name)
        place = f"/v1/uploads/{digest(text)}"
        status, _, body = self.send("PUT", place, text, token)
        for part in body.get("missing", []) if status == 202 else []:
            sent = self.send("PUT", f"{place}/{part}", zlib.compress(pieces[part]), token, {"Content-Encoding": "deflate"})
            if sent[0] != 204:
                return sent
        return self.send("PUT", place, text, token) if status == 202 else (status, _, body)


class ReceiverCase(ArchiveTest):
    def token(self, app="todo", *words):
        return tool("archive", "token", self.url, "--app", app, *words).stdout.strip()

    def uploader(self, directory, receiver, token, *words, code=0, timeout=600):
        answer = subprocess.run(
            [UPLOADING_APP, str(directory), receiver.address, token, *map(str, words)],
            capture_output=True,
            text=True,
            timeout=timeout,
        )
        self.assertEqual(answer.returncode, code, answer.stdout + answer.stderr)
        return answer.stdout.splitlines()

    def make_runs(self, count, actions=20, app="todo"):
        directory = self.folder / "runs"
        directory.mkdir(exist_ok=True)
        lines = [json.dumps({"add": {"title": f"{number}"}}) + "\n" for number in range(actions)]
        for number in range(count):
            path = self.record(f"run-{number}.hindsight", lines, app)
            shutil.move(path, directory / path.name)
        return directory


class ReceiveTest(ReceiverCase):
    def test_an_uploaded_recording_is_the_same_as_a_pushed_one(self):
        path = self.record("a.hindsight", ['{"add":{"title":"a"}}\n'] * 50)
        receiver = Receiver(self)
        status, _, body = receiver.upload(path, self.token())
        self.assertEqual((status, body["outcome"]), (200, "new"))
        self.assertEqual([line["outcome"] for line in self.push(path)], ["same"])
        self.pull(body["recording"], self.folder / "pulled.hindsight")
        self.assertEqual(self.text(self.folder / "pulled.hindsight"), self.text(path))
        # Nothing is left of its way.
        self.assertEqual(self.sql("SELECT count(*) FROM hindsight.upload_part"), [["0"]])
        # Whoever did not get the answer asks again.
        self.assertEqual(receiver.upload(path, self.token())[2], body)
        lines = receiver.stop()
        self.assertEqual([(line["outcome"], line["name"], line["actions"]) for line in lines], [("new", "a.hindsight", 50)])

    def test_runs_of_an_app_are_sent_and_then_deleted(self):
        directory = self.make_runs(3)
        texts = sorted(self.text(path) for path in directory.iterdir())
        receiver = Receiver(self)
        lines = self.uploader(directory, receiver, self.token())
        self.assertEqual([line.split()[0] for line in lines], ["new"] * 3)
        self.assertEqual(os.listdir(directory), [])
        self.pull("true", f"{self.folder / 'out'}/")
        self.assertEqual(sorted(self.text(path) for path in (self.folder / "out").iterdir()), texts)

    def test_a_run_that_is_kept_is_not_sent_again(self):
        directory = self.make_runs(2)
        receiver = Receiver(self)
        token = self.token()
        self.assertEqual(len(self.uploader(directory, receiver, token, "--keep")), 2)
        self.assertEqual(self.uploader(directory, receiver, token, "--keep"), [])
        self.assertEqual(len(list(directory.glob("*.hindsight"))), 2)

    def test_a_run_that_is_being_recorded_is_not_sent(self):
        directory = self.folder / "runs"
        directory.mkdir()
        recorder = self.start_recorder("runs/live.hindsight")
        recorder.stdin.write(b'{"add":{"title":"a"}}\n')
        recorder.stdin.flush()
        self.wait_for_recorded(directory / "live.hindsight", 1)
        receiver = Receiver(self)
        token = self.token()
        self.assertEqual(self.uploader(directory, receiver, token), [])
        # Killed, it is a finished run, with what its recorder had not merged.
        recorder.kill()
        recorder.wait()
        text = self.text(directory / "live.hindsight")
        self.assertEqual([line.split()[0] for line in self.uploader(directory, receiver, token)], ["new"])
        self.assertEqual(os.listdir(directory), [])
        self.pull("true", self.folder / "pulled.hindsight")
        # The recovery says that there was one.
        pulled = self.text(self.folder / "pulled.hindsight")
        self.assertEqual(pulled.splitlines()[1:], text.splitlines()[1:])

    def test_a_crash_comes_with_its_group(self):
        directory = self.folder / "runs"
        directory.mkdir()
        environment = {**os.environ, "SWIFT_BACKTRACE": "enable=no"}
        subprocess.run([CRASHING_APP, directory / "crash.hindsight", "in a reducer"], capture_output=True, env=environment)
        self.assertTrue((directory / "crash.hindsight").exists())
        app = json.loads(tool("info", directory / "crash.hindsight", "--json").stdout)["app"]
        self.make_runs(1)
        receiver = Receiver(self)
        lines = self.uploader(directory, receiver, self.token(app), "--crashed-only")
        self.assertEqual([line.split()[0] for line in lines], ["new"])
        self.assertIn("run-0.hindsight", os.listdir(directory))
        self.assertEqual(len(tool("archive", "crashes", self.url, "--json").stdout.splitlines()), 1)

    def test_what_is_refused_stays_on_the_device(self):
        directory = self.make_runs(1)
        (directory / "broken.hindsight").write_bytes(random.Random(SEED).randbytes(50_000))
        whole = (directory / "run-0.hindsight").read_bytes()
        receiver = Receiver(self)
        # One is no recording, and the other of another app than the token.
        lines = self.uploader(directory, receiver, self.token("shop"), code=1)
        self.assertEqual([line.split()[0] for line in lines], ["failed", "refused"])
        self.assertIn("of the app todo", lines[1])
        self.assertEqual((directory / "run-0.hindsight").read_bytes(), whole)
        self.assertEqual(self.sql("SELECT count(*) FROM hindsight.recording"), [["0"]])
        # The same in a form that the uploader would not send.
        text, parts = manifest(directory / "broken.hindsight")
        status, _, body = receiver.upload(directory / "broken.hindsight", self.token())
        self.assertEqual(status, 422, body)
        self.assertEqual(receiver.upload(directory / "broken.hindsight", self.token())[0], 422)
        # With another token, the other one is sent.
        lines = self.uploader(directory, receiver, self.token(), code=1)
        self.assertEqual([line.split()[0] for line in lines], ["failed", "new"])
        # What is no recording was told, and is not told again.
        token = self.token()
        self.uploader(directory, receiver, token, code=1)
        self.assertEqual(self.uploader(directory, receiver, token), [])

    def test_a_token_of_an_installation_names_the_device(self):
        path = self.record("a.hindsight", ['{"add":{"title":"a"}}\n'])
        receiver = Receiver(self)
        token = self.token("todo", "--installation", "kiosk-7")
        self.assertEqual(receiver.upload(path, token)[0], 200)
        self.assertEqual(self.sql("SELECT device FROM hindsight.recording"), [["kiosk-7"]])
        # A name that was given by hand stays if the recording comes again.
        self.push(path, "--device", "kiosk-8")
        self.assertEqual(receiver.upload(path, token, name="b.hindsight")[2]["outcome"], "same")
        self.assertEqual(self.sql("SELECT device FROM hindsight.recording"), [["kiosk-8"]])
        self.push(path, "--device", "kiosk-7")
        tokens = json.loads(tool("archive", "token", self.url, "--json").stdout)
        self.assertEqual([(row["app"], row["installation"]) for row in tokens], [("todo", "kiosk-7")])
        self.assertNotIn(token, json.dumps(tokens))
        # Forgetting the device also removes its token.
        tool("archive", "forget", self.url, "--device", "kiosk-7")
        self.assertEqual(json.loads(tool("archive", "token", self.url, "--json").stdout), [])
        self.assertEqual(receiver.upload(path, token)[0], 401)

    def test_a_removed_token_and_a_wrong_one_are_refused(self):
        path = self.record("a.hindsight", ['{"add":{"title":"a"}}\n'])
        receiver = Receiver(self)
        for token in [None, "", "x" * 10_000, "0" * 64]:
            self.assertEqual(receiver.upload(path, token)[0], 401)
        token = self.token()
        number = json.loads(tool("archive", "token", self.url, "--json").stdout)[0]["number"]
        tool("archive", "token", self.url, "--remove", number)
        self.assertEqual(receiver.upload(path, token)[0], 401)
        tool("archive", "token", self.url, "--remove", number, code=2)
        directory = self.make_runs(1)
        self.assertIn("401", self.uploader(directory, receiver, token, code=1)[0])
        self.assertEqual(len(list(directory.glob("*.hindsight"))), 1)

    def test_wrong_requests_are_refused_and_the_next_is_served(self):
        path = self.record("a.hindsight", ['{"add":{"title":"a"}}\n'])
        text, parts = manifest(path)
        place = f"/v1/uploads/{digest(text)}"
        part, data = next(iter(parts.items()))
        receiver = Receiver(self, "--max-recording", 1)
        token = self.token()
        bomb = zlib.compress(bytes(50 << 20))
        two = json.dumps({"name": "a", "files": [{"suffix": "", "bytes": 1 << 60, "parts": []}]}).encode()
        large = json.dumps({"name": "a", "files": [{"suffix": "", "bytes": 2 << 20, "parts": ["0" * 64] * 8}]}).encode()
        other = json.dumps({"name": "a", "files": [{"suffix": "/../x", "bytes": 0, "parts": []}]}).encode()
        for status, method, where, body, headers in [
            (404, "PUT", "/", b"", {}), (404, "PUT", "/v1/uploads/x", b"", {}), (405, "GET", place, b"", {}),
            (404, "PUT", f"/v1/uploads/{digest(text)[:-1]}G", text, {}), (400, "PUT", place, text + b" ", {}),
            (409, "PUT", f"{place}/{part}", data, {}), (400, "PUT", f"{place}/{part}", data + b"x", {}),
            (400, "PUT", f"{place}/{part}", bomb, {"Content-Encoding": "deflate"}),
            (400, "PUT", f"{place}/{part}", data, {"Content-Encoding": "deflate"}),
            (415, "PUT", f"{place}/{part}", data, {"Content-Encoding": "br"}),
            (413, "PUT", f"/v1/uploads/{digest(large)}", large, {}), 
        ] + [(400, "PUT", f"/v1/uploads/{digest(wrong)}", wrong, {}) for wrong in [b"", b"{}", b"[" * 9000, two, other]]:
            with self.subTest(where=where, body=body[:40]):
                self.assertEqual(receiver.send(method, where, body, token, headers)[0], status)
        # The connection ends before all of it has been sent.
        for body, headers in [(iter([text]), {}), (bytes(20 << 20), {}), (text, {"X": "x" * (10 << 20)})]:
            try:
                self.assertIn(receiver.send("PUT", place, body, token, headers)[0], [411, 413, 431])
            except (BrokenPipeError, ConnectionResetError):
                pass
        self.assertEqual(receiver.upload(path, token)[0], 200)
        self.assertEqual(receiver.send("GET", "/health")[0], 200)

    def test_a_part_that_no_manifest_names_takes_no_room_for_ever(self):
        path = self.record("a.hindsight", ['{"add":{"title":"a"}}\n'])
        text, parts = manifest(path)
        place = f"/v1/uploads/{digest(text)}"
        receiver = Receiver(self)
        token = self.token()
        self.assertEqual(receiver.send("PUT", place, text, token)[0], 202)
        junk = [os.urandom(100) for _ in range(5)]
        answers = [receiver.send("PUT", f"{place}/{digest(each)}", each, token)[0] for each in junk]
        self.assertEqual(answers, [409] * 5)

    def test_too_much_at_once_is_told_when_to_come_again(self):
        path = self.record("a.hindsight", [json.dumps({"add": {"title": os.urandom(60_000).hex()}}) + "\n"] * 8)
        receiver = Receiver(self, "--max-rate", 1)
        directory = self.folder / "runs"
        directory.mkdir()
        shutil.copy(path, directory / "a.hindsight")
        token = self.token()
        text, parts = manifest(path)
        place = f"/v1/uploads/{digest(text)}"
        receiver.send("PUT", place, text, token)
        seen = {receiver.send("PUT", f"{place}/{part}", parts[part], token)[0] for part in parts}
        self.assertIn(204, seen)
        self.assertLessEqual(seen, {204, 429})
        # What is not named by a hash counts, too. It costs nothing else, so a slow machine sends enough of it.
        for _ in range(1000):
            status, headers, _ = receiver.send("PUT", f"{place}/x", bytes(PART), token)
            if status == 429:
                break
        self.assertEqual(status, 429)
        self.assertGreaterEqual(int(headers["Retry-After"]), 1)
        # The uploader waits, and goes on.
        self.assertEqual([line.split()[0] for line in self.uploader(directory, receiver, token, "--tries", 200)], ["new"])

    def test_what_is_on_its_way_has_a_limit(self):
        paths = [self.record(f"{n}.hindsight", [json.dumps({"add": {"title": os.urandom(300_000).hex()}}) + "\n"]) for n in range(2)]
        size = max(path.stat().st_size for path in paths)
        receiver = Receiver(self, "--max-pending", (size >> 20) + 1)
        self.assertGreater(2 * size, ((size >> 20) + 1) << 20)
        token = self.token()
        for path, wanted in zip(paths, [202, 503]):
            text, _ = manifest(path)
            status, headers, _ = receiver.send("PUT", f"/v1/uploads/{digest(text)}", text, token)
            self.assertEqual(status, wanted)
        self.assertEqual(headers["Retry-After"], "300")
        # Its end makes room.
        self.assertEqual([receiver.upload(path, token)[0] for path in paths], [200, 200])

    def test_a_recording_that_never_has_room_keeps_no_other_back(self):
        large = self.record("a-large.hindsight", [json.dumps({"add": {"title": os.urandom(700_000).hex()}}) + "\n"])
        self.assertGreater(large.stat().st_size, 1 << 20)
        directory = self.make_runs(1)
        shutil.move(large, directory / large.name)
        receiver = Receiver(self, "--max-pending", 1)
        lines = self.uploader(directory, receiver, self.token(), code=1)
        self.assertEqual([line.split()[0] for line in lines], ["failed", "new"])
        self.assertIn("tooLarge", lines[0])
        self.assertEqual([path.name for path in directory.glob("*.hindsight")], [large.name])

    @unittest.skipUnless(TORTURE, "takes more than a minute")
    def test_a_request_that_arrives_too_slowly_is_ended(self):
        receiver = Receiver(self)
        with socket.create_connection(("127.0.0.1", receiver.port)) as connection:
            connection.sendall(b"PUT /v1/uploads/x HTTP/1.1\r\nHost: x\r\nX: ")
            begun = time.monotonic()
            with self.assertRaises(OSError):
                while time.monotonic() - begun < 120:
                    connection.sendall(b"y")
                    time.sleep(1)
        self.assertLess(time.monotonic() - begun, 80)

    def test_nothing_is_acknowledged_while_the_server_is_away(self):
        server = Server()
        self.addCleanup(server.end)
        server.sql("postgres", "CREATE DATABASE fleet")
        url = server.url("fleet")
        tool("archive", "init", url)
        token = tool("archive", "token", url, "--app", "todo").stdout.strip()
        path = self.record("a.hindsight", ['{"add":{"title":"a"}}\n'] * 30)
        receiver = Receiver(self, url=url)
        server.stop("immediate")
        status, headers, _ = receiver.upload(path, token)
        self.assertEqual(status, 503)
        self.assertTrue(headers["Retry-After"])
        self.assertEqual(receiver.send("GET", "/health")[0], 503)
        server.start()
        self.assertEqual(receiver.upload(path, token)[0], 200)
        self.assertEqual(server.sql("fleet", "SELECT actions FROM hindsight.recording"), [["30"]])
        self.assertTrue(any("error" in line for line in receiver.stop()))

    def test_slow_and_idle_connections_keep_nobody_away(self):
        receiver = Receiver(self)
        token = self.token()
        path = self.record("a.hindsight", ['{"add":{"title":"a"}}\n'] * 30)
        sockets = []
        for number in range(1000):
            connection = socket.create_connection(("127.0.0.1", receiver.port))
            if number % 2:
                connection.send(b"PUT /v1/uploads/x HTTP/1.1\r\nHost: x\r\nContent-Length: 200000\r\nX: ")
            if number % 4 == 3:
                connection.send(b"y\r\n\r\nslow")
            sockets.append(connection)
        begun = time.monotonic()
        self.assertEqual(receiver.upload(path, token)[0], 200)
        # A connection ends after 60 s.
        self.assertLess(time.monotonic() - begun, 50)
        self.assertLess(receiver.peak(), 100)
        for connection in sockets:
            connection.close()

    def test_it_ends_while_the_server_hangs(self):
        server = Server()
        self.addCleanup(server.end)
        server.sql("postgres", "CREATE DATABASE fleet")
        tool("archive", "init", server.url("fleet"))
        receiver = Receiver(self, url=server.url("fleet"))
        self.assertEqual(receiver.send("GET", "/health")[0], 200)
        postmaster = int((server.data / "postmaster.pid").read_text().split()[0])
        children = pathlib.Path(f"/proc/{postmaster}/task/{postmaster}/children").read_text().split()
        numbers = [postmaster, *map(int, children)]
        for number in numbers:
            os.kill(number, signal.SIGSTOP)
        try:
            with concurrent.futures.ThreadPoolExecutor() as pool:
                asked = [pool.submit(receiver.send, "GET", "/health", timeout=PATIENCE) for _ in range(6)]
                self.poll(lambda: receiver.accepted() == 6, "six requests")
                time.sleep(0.5)
                begun = time.monotonic()
                receiver.stop()
                # Each waits for the server for 30 s.
                self.assertLess(time.monotonic() - begun, 25)
                self.assertEqual({each.result()[0] for each in asked}, {503})
        finally:
            for number in numbers:
                os.kill(number, signal.SIGCONT)

    def test_the_role_of_a_receiver_does_no_more(self):
        url = self.make_role("door", "hindsight_receive", app="todo")
        path = self.record("a.hindsight", ['{"add":{"title":"a"}}\n'])
        tool("archive", "receive", self.make_role("pusher", "hindsight_push"), code=3)
        receiver = Receiver(self, url=url)
        self.assertEqual(receiver.upload(path, self.token())[0], 200)
        self.assertEqual(receiver.upload(path, self.token("shop"))[0], 401)
        for text in ["SELECT * FROM hindsight.recording", "DELETE FROM hindsight.token", "INSERT INTO hindsight.token (hash, app) VALUES (sha256('x'), 'todo')"]:
            with self.assertRaises(RuntimeError):
                self.sql(text, "door")

    def test_what_was_forgotten_to_be_sent_again_is_not_taken_for_there(self):
        path = self.record("a.hindsight", ['{"add":{"title":"a"}}\n'] * 30)
        receiver, token = Receiver(self), self.token()
        body = receiver.upload(path, token)[2]
        self.sql(f"SELECT hindsight.forget('{body['recording']}')")
        self.assertEqual(receiver.upload(path, token)[2]["outcome"], "new")
        self.assertEqual(self.sql("SELECT count(*) FROM hindsight.recording"), [["1"]])

    def test_what_was_replaced_in_the_archive_is_sent_again(self):
        lines = [json.dumps({"add": {"title": f"{number}"}}) + "\n" for number in range(60)]
        path = self.record("a.hindsight", lines)
        receiver, token = Receiver(self), self.token()
        self.assertEqual(receiver.upload(path, token)[2]["outcome"], "new")
        identity = json.loads(tool("info", path, "--json").stdout)["id"]
        self.sql(f"UPDATE hindsight.recording SET hash = sha256('other') WHERE id = '{identity}'")
        text, parts = manifest(path)
        status, _, body = receiver.send("PUT", f"/v1/uploads/{digest(text)}", text, token)
        self.assertEqual((status, body["missing"]), (202, sorted(parts)))

    @unittest.skipUnless(shutil.which("prlimit"), "needs prlimit")
    def test_a_run_of_which_a_file_cannot_be_read_is_not_sent(self):
        directory = self.folder / "runs"
        directory.mkdir()
        recorder = self.start_recorder("runs/live.hindsight")
        recorder.stdin.write(b'{"add":{"title":"a"}}\n' * 20)
        recorder.stdin.flush()
        self.wait_for_recorded(directory / "live.hindsight", 20)
        recorder.kill()
        recorder.wait()
        receiver, token = Receiver(self), self.token()
        text = self.text(directory / "live.hindsight")
        for limit in range(8, 40, 2):
            answer = subprocess.run(
                ["prlimit", f"--nofile={limit}", UPLOADING_APP, directory, receiver.address, token],
                capture_output=True, text=True, timeout=60,
            )
            if not list(directory.glob("*.hindsight")):
                break
        self.assertEqual(self.uploader(directory, receiver, token), [])
        self.assertEqual(os.listdir(directory), [])
        self.pull("true", self.folder / "pulled.hindsight")
        self.assertEqual(self.text(self.folder / "pulled.hindsight").splitlines()[1:], text.splitlines()[1:])

    def test_an_answer_that_is_no_receivers_deletes_nothing(self):
        directory = self.make_runs(1)
        token = self.token()

        class Portal(http.server.BaseHTTPRequestHandler):
            status = 200

            def do_PUT(self):
                self.rfile.read(int(self.headers["Content-Length"]))
                self.send_response(Portal.status)
                self.end_headers()
                self.wfile.write(b'{"error": "Welcome to our network"}')

            def log_message(self, *_):
                pass

        portal = http.server.HTTPServer(("127.0.0.1", 0), Portal)
        threading.Thread(target=portal.serve_forever, daemon=True).start()
        self.addCleanup(portal.shutdown)

        class Address:
            address = f"http://127.0.0.1:{portal.server_port}"

        for Portal.status in [200, 202, 302, 403, 413, 422]:
            self.assertIn("failed", self.uploader(directory, Address, token, code=1)[0])
        self.assertEqual(len(list(directory.glob("*.hindsight"))), 1)

    def test_forgetting_ends_what_is_on_its_way(self):
        path = self.record("a.hindsight", [json.dumps({"add": {"title": "planted-text"}}) + "\n"] * 30)
        identity = json.loads(tool("info", path, "--json").stdout)["id"]
        receiver = Receiver(self)
        token = self.token()
        text, parts = manifest(path)
        place = f"/v1/uploads/{digest(text)}"
        receiver.send("PUT", place, text, token)
        for part in parts:
            receiver.send("PUT", f"{place}/{part}", parts[part], token)
        tool("archive", "forget", self.url, "--recording", identity)
        self.assertEqual(self.sql("SELECT count(*) FROM hindsight.upload_part"), [["0"]])
        status, _, body = receiver.upload(path, token)
        self.assertEqual((status, body["outcome"]), (200, "forgotten"))
        self.assertEqual(self.sql("SELECT count(*) FROM hindsight.upload_part"), [["0"]])
        self.assertEqual(self.sql("SELECT count(*) FROM hindsight.recording"), [["0"]])


class FleetTest(ReceiverCase):
    """Many devices at once, some killed in the middle, while the receiver is restarted."""

    def make_devices(self, count):
        """Directories with a recording each, and the recordings' texts."""
        runs = []
        for number in range(count):
            directory = self.folder / f"device-{number}"
            directory.mkdir()
            created = 1_790_000_000_000_000_000 + number
            text = self.make_text(f"{number}.jsonl", self.random.choice([1, 300, 2000 if TORTURE else 800]), size=200, created=created)
            tool("import", text, "-o", directory / f"run-{number}.hindsight")
            runs.append((directory, self.text(directory / f"run-{number}.hindsight")))
        return runs

    @functools.cache
    def packed(self, path):
        """The manifest of a recording, and its parts, deflated."""
        text, parts = manifest(path)
        return text, {part: zlib.compress(body, 6) for part, body in parts.items()}

    def send(self, receiver, directory, token, killed_after):
        """Sends as an uploader does, and deletes at the end. The device is killed after some requests, and starts again."""
        for path in directory.glob("*.hindsight"):
            text, packed = self.packed(path)
            place = f"/v1/uploads/{digest(text)}"
            for attempt in range(1000):
                try:
                    status, headers, body = receiver().send("PUT", place, text, token, timeout=300)
                    for part in body.get("missing", []) if status == 202 else []:
                        killed_after -= 1
                        if killed_after == 0:
                            return self.send(receiver, directory, token, 0)
                        receiver().send("PUT", f"{place}/{part}", packed[part], token, {"Content-Encoding": "deflate"})
                    if status == 200:
                        return path.unlink()
                    if status in (401, 403, 422):
                        raise AssertionError(body)
                    if status != 202:
                        time.sleep(self.random.uniform(0.1, 0.5) * int(headers.get("Retry-After", 1)))
                except (OSError, http.client.HTTPException):
                    time.sleep(self.random.uniform(0.05, 0.3))

    def test_nothing_is_lost_or_there_twice(self):
        print(f"HINDSIGHT_SEED={SEED}", flush=True)
        count = 200 if TORTURE else 16
        runs = self.make_devices(count)
        token = self.token("made")
        current = [Receiver(self)]
        port, peak = current[0].port, 0
        with concurrent.futures.ThreadPoolExecutor(count) as pool:
            done = [
                pool.submit(self.send, lambda: current[0], directory, token, self.random.choice([1, 2, 3] + [0] * 27))
                for directory, _ in runs
            ]
            # The uploader of apps among them.
            app = pool.submit(self.uploader, self.make_runs(2), current[0], self.token(), "--tries", 3000)
            for turn in range(5 if TORTURE else 2):
                time.sleep(1)
                peak = max(peak, current[0].peak())
                current[0].kill() if turn % 2 else current[0].stop()
                current[0] = Receiver(self, port=port)
            for each in [*done, app]:
                each.result(timeout=600)
        peak = max(peak, current[0].peak())
        print(f"at most {peak:.0f} MB", flush=True)
        self.assertLess(peak, 100)
        rows = self.sql(
            "SELECT count(*), count(DISTINCT id), bool_and(complete) FROM hindsight.recording WHERE app = 'made'"
        )
        self.assertEqual(rows, [[str(count), str(count), "t"]])
        self.assertEqual(self.sql("SELECT count(*) FROM hindsight.upload_part"), [["0"]])
        self.check_chunks()
        self.pull("app = 'made'", f"{self.folder / 'out'}/")
        pulled = sorted(self.text(path) for path in (self.folder / "out").iterdir())
        self.assertEqual(pulled, sorted(text for _, text in runs))

    @unittest.skipUnless(TORTURE, "measures")
    def test_receiving_takes_at_most_twice_as_long_as_pushing(self):
        runs = self.make_devices(200)
        size = sum(len(text) for _, text in runs)
        begun = time.monotonic()
        self.push(*(directory for directory, _ in runs), url=self.url)
        pushed = time.monotonic() - begun
        self.sql("TRUNCATE hindsight.recording, hindsight.head, hindsight.chunk, hindsight.action_type, hindsight.note")
        receiver, token = Receiver(self), self.token("made")
        # What devices do is not the receiver's work.
        for directory, _ in runs:
            for path in directory.glob("*.hindsight"):
                self.packed(path)
        begun = time.monotonic()
        with concurrent.futures.ThreadPoolExecutor(200) as pool:
            for each in [pool.submit(self.send, lambda: receiver, directory, token, 0) for directory, _ in runs]:
                each.result(timeout=600)
        received = time.monotonic() - begun
        rate = [size / seconds / 1e6 for seconds in (pushed, received)]
        print(f"pushed {rate[0]:.1f}, received {rate[1]:.1f} MB of text a second, {receiver.peak():.0f} MB", flush=True)
        self.assertEqual(self.sql("SELECT count(*) FROM hindsight.recording"), [["200"]])
        self.assertGreater(rate[1], rate[0] / 2)


if __name__ == "__main__":
    unittest.main()
