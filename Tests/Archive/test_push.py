"""Tests `archive init`, `status`, `push` and `pull`."""

import gzip
import json
import os
import pathlib
import shutil
import signal
import sqlite3
import subprocess
import time
import unittest
import uuid

from support import FIXTURES, PATIENCE, PLAIN_TOOL, TOOL, ArchiveTest, json_lines, program, tool

ADD = '{"add":{"title":"%s"}}\n'


class InitTest(ArchiveTest):
    def test_init_twice_changes_nothing(self):
        self.push(FIXTURES / "todo.hindsight")
        before = self.sql("SELECT * FROM hindsight.recording")
        answer = json.loads(tool("archive", "init", self.url, "--json").stdout)
        self.assertEqual(answer["before"], answer["schema"])
        self.assertEqual(answer["missing"], [])
        self.assertEqual(self.sql("SELECT * FROM hindsight.recording"), before)

    def test_two_inits_at_the_same_time_make_one_archive(self):
        url = self.server.url(self.make_database())
        inits = [
            subprocess.Popen([TOOL, "archive", "init", url], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
            for _ in range(4)
        ]
        for init in inits:
            self.assertEqual(init.wait(), 0, init.communicate()[1])

    def test_every_function_fixes_its_search_path_and_no_table_lacks_row_level_security(self):
        loose = self.sql(
            """SELECT proname FROM pg_proc WHERE pronamespace = 'hindsight'::regnamespace
            AND NOT coalesce(proconfig::text LIKE '%search_path=pg_catalog, pg_temp%', false)"""
        )
        self.assertEqual(loose, [])
        self.push(FIXTURES / "todo.hindsight")
        open_tables = self.sql(
            """SELECT relname FROM pg_class WHERE relnamespace = 'hindsight'::regnamespace AND NOT relrowsecurity
            AND relkind IN ('r', 'p')
            AND relname ~ '^(recording|head|chunk|action_type|note)(_[0-9_]+)?$'"""
        )
        self.assertEqual(open_tables, [])

    def test_status_counts_by_app_and_version(self):
        self.push(FIXTURES / "todo.hindsight", FIXTURES / "checkout.hindsight")
        status = json.loads(tool("archive", "status", self.url, "--json").stdout)
        self.assertEqual([(row["app"], row["recordings"]) for row in status["versions"]], [("checkout", 1), ("todo", 1)])
        self.assertGreater(status["disk"], 0)
        self.assertIn("todo", tool("archive", "status", self.url).stdout)


class OlderTest(ArchiveTest):
    """An archive that the first version made: version1.sql.gz is a dump of one, with two recordings and their results."""

    def test_an_archive_of_the_first_version_is_brought_to_this_one(self):
        database = self.make_database()
        dump = gzip.decompress((pathlib.Path(__file__).parent / "version1.sql.gz").read_bytes()).decode()
        # What only newer programs of PostgreSQL understand stands in lines of its own.
        self.server.sql(database, "\n".join(line for line in dump.splitlines() if not line.startswith("\\restrict")
                                            and not line.startswith("\\unrestrict")))
        url = self.server.url(database)
        self.assertIn("archive init", tool("archive", "list", url, code=3).stderr)
        answer = tool("archive", "init", url)
        self.assertIn("from schema 1 to 3", answer.stdout)
        self.assertIn("hindsight.access", answer.stderr)
        rows = json_lines(tool("archive", "list", url, "--json").stdout)
        self.assertEqual({(row["app"], row["device"]) for row in rows}, {("todo", "kiosk-7"), ("checkout", "kiosk-7")})
        for row, name in zip(sorted(rows, key=lambda row: row["app"]), ("crashed/checkout-crash", "todo")):
            output = self.folder / f"{row['app']}.hindsight"
            tool("archive", "pull", url, row["id"], "-o", output)
            self.assertEqual(self.text(output), self.text(FIXTURES / f"{name}.hindsight"))
        self.assertEqual({row["outcome"] for row in self.push(FIXTURES / "todo.hindsight", url=url)}, {"same"})
        [crash] = [json.loads(line) for line in tool("archive", "crashes", url, "--json").stdout.splitlines()
                   if json.loads(line)["kind"] == "crash"]
        self.assertEqual((crash["recordings"], crash["phase"]), (1, None))
        tool("archive", "expire", url, "--keep", "30d", "--dry-run")
        tool("archive", "forget", url, "--device", "kiosk-7")
        self.assertEqual(json_lines(tool("archive", "list", url, "--json").stdout), [])
        self.assertEqual(self.push(FIXTURES / "todo.hindsight", url=url)[0]["outcome"], "forgotten")


class RoundTripTest(ArchiveTest):
    def check(self, path, name):
        """A push, a pull, and a comparison of all that they must keep."""
        pushed = self.push("--replace", path)[0]
        output = self.folder / f"{name}.pulled.hindsight"
        pulled = self.pull(pushed["id"], output)[0]
        self.assertEqual(self.text(output), self.text(path), name)
        again = self.push(path)[0]
        self.assertEqual((again["outcome"], again["sent"]["chunks"]), ("same", 0), name)
        self.assertEqual(self.push(output)[0]["id"], pushed["id"], name)
        self.assertEqual(pushed["bytes"], pulled["bytes"])
        return pushed, output

    def test_every_fixture_comes_back_with_the_same_text_and_the_same_views(self):
        for path in sorted(FIXTURES.glob("*.hindsight")):
            with self.subTest(path.name):
                # A copy, because a push recovers what needs it.
                copy = self.folder / path.name
                shutil.copy(path, copy)
                _, output = self.check(copy, path.stem)
                imported = self.folder / f"{path.stem}.imported.hindsight"
                text = self.folder / f"{path.stem}.jsonl"
                text.write_text(self.text(copy))
                tool("import", text, "-o", imported)
                self.assertEqual(self.views(output), self.views(imported))

    def test_the_views_of_a_pulled_recording_are_those_of_the_pushed_one(self):
        path = self.record("s.hindsight", [ADD % f"item {number}" for number in range(300)])
        _, output = self.check(path, "s")
        self.assertEqual(self.views(output), self.views(path))

    def test_a_large_recording_is_cut_into_chunks(self):
        path = self.make_text("large.jsonl", 700, size=1500)
        pushed, _ = self.check(path, "large")
        self.assertGreater(pushed["chunks"], 5)
        rows = self.sql("SELECT first, last, bytes, octet_length(body) FROM hindsight.chunk ORDER BY first")
        self.assertEqual(len(rows), pushed["chunks"])
        end = 0
        for first, last, size, _ in rows:
            self.assertEqual(int(first), end + 1)
            end = int(last)
            self.assertLess(int(size), 512 << 10)
        self.assertEqual(end, 700)

    def test_a_recording_without_actions_and_one_with_a_limit_come_back(self):
        self.check(self.make_text("empty.jsonl", 0), "empty")
        lines = [ADD % f"item {number}" for number in range(600)]
        path = self.folder / "limited.hindsight"
        tool("record", "--app", "todo", "--limit", "100", "--input", "-", path, stdin="".join(lines))
        pushed, _ = self.check(path, "limited")
        self.assertGreater(int(self.sql("SELECT dropped FROM hindsight.recording WHERE app = 'todo'")[0][0]), 0)

    def test_notes_come_back_and_a_new_note_sends_no_chunk(self):
        path = self.folder / "noted.hindsight"
        shutil.copy(FIXTURES / "todo.hindsight", path)
        tool("note", path, "3", "here it\u2028goes wrong \u202e")
        self.check(path, "noted")
        tool("note", path, "5", "later")
        again = self.push(path)[0]
        self.assertEqual((again["outcome"], again["sent"]["chunks"]), ("grown", 0))
        names = self.sql("SELECT seq FROM hindsight.note ORDER BY number")
        self.assertTrue({"3", "5"} <= {row[0] for row in names})
        output = self.folder / "again.hindsight"
        self.pull(again["id"], output)
        self.assertEqual(self.text(output), self.text(path))

    def test_a_part_up_to_an_action_ends_with_it_and_takes_no_chunks_after_it(self):
        path = self.make_text("large.jsonl", 600, size=1200)
        pushed = self.push(path)[0]
        part = self.pull(pushed["id"], self.folder / "part.hindsight", "--to", "100")[0]
        self.assertEqual(part["actions"], 100)
        self.assertLess(part["received"], pushed["sent"]["bytes"] / 2)
        lines = self.text(self.folder / "part.hindsight").splitlines()
        whole = path.read_text().splitlines()
        self.assertEqual(lines[1:-1], whole[1:101])
        # It does not pass for the recording.
        self.assertIn("cut", json.loads(lines[0])["facts"])
        self.assertNotEqual(self.push(self.folder / "part.hindsight")[0]["id"], pushed["id"])

    def test_a_part_ends_with_the_crash_if_it_goes_to_it(self):
        path = self.folder / "crash.hindsight"
        shutil.copy(FIXTURES / "crashed" / "checkout-crash.hindsight", path)
        identity = self.push(path)[0]["id"]
        output, cut = self.folder / "part.hindsight", self.folder / "cut.hindsight"
        for first, last in ((5, None), (5, 12), (5, 99), (None, 12), (5, 11), (None, 11)):
            with self.subTest(first=first, last=last):
                words = (["--from", str(first)] if first else []) + (["--to", str(last)] if last else [])
                self.pull(identity, output, *words, "--force")
                tool("cut", path, str(first or 0), str(min(last or 12, 12)), "-o", cut, "--force")
                lines, expected = self.text(output).splitlines(), self.text(cut).splitlines()
                self.assertEqual(lines[1:], expected[1:])
                died = [json.loads(text[0])["facts"].get("died") for text in (lines, expected)]
                self.assertEqual(died, [None if last == 11 else f"{12 - (first or 0)}.7"] * 2)

    def test_a_part_from_an_action_is_what_cut_makes_of_the_file(self):
        path = self.make_text("large.jsonl", 600, size=1200)
        identity = self.push(path)[0]["id"]
        recording = self.folder / "large.hindsight"
        tool("import", path, "-o", recording)
        for first, last in ((0, 3), (100, 105), (250, 250), (590, None), (590, 9000)):
            with self.subTest(first=first, last=last):
                output, cut = self.folder / "part.hindsight", self.folder / "cut.hindsight"
                words = ["--from", first] + (["--to", last] if last else [])
                pulled = self.pull(identity, output, *map(str, words), "--force")[0]
                tool("cut", recording, str(first), str(min(last or 600, 600)), "-o", cut, "--force")
                lines, expected = self.text(output).splitlines(), self.text(cut).splitlines()
                self.assertEqual(pulled["actions"], len(expected) - 2)
                self.assertEqual(lines[1:], expected[1:])
                header, other = json.loads(lines[0]), json.loads(expected[0])
                self.assertEqual(header["facts"]["cut"].pop("file"), f"{identity}.hindsight")
                other["facts"]["cut"].pop("file")
                # An end that is not the recording's is the time of the last action.
                self.assertEqual(header, other)
        # A part is a recording of its own.
        self.assertNotEqual(self.push(output)[0]["id"], identity)
        missing = self.folder / "missing.hindsight"
        answer = tool("archive", "pull", self.url, identity, "-o", missing, "--from", "601", code=None)
        self.assertNotEqual(answer.returncode, 0)
        self.assertNotIn("/hindsight-archive-", answer.stderr.replace(str(self.folder), ""))
        tool("archive", "pull", self.url, identity, "-o", missing, "--from", "9", "--to", "8", code=2)
        self.assertFalse(missing.exists())

    def test_summaries_are_those_of_the_text(self):
        path = self.make_text("large.jsonl", 1000, size=50)
        self.push(path, "--device", "kiosk 7")
        lines = [json.loads(line) for line in path.read_text().splitlines()[1:-1]]
        expected = {}
        for line in lines:
            count, total, longest = expected.get(line["action"], (0, 0, 0))
            expected[line["action"]] = (count + 1, total + line["duration"], max(longest, line["duration"]))
        rows = self.sql("SELECT type, count, total_ns, longest_ns FROM hindsight.action_type")
        self.assertEqual({row[0]: tuple(map(int, row[1:])) for row in rows}, expected)
        row = self.sql("SELECT device, actions, bytes, ending, complete, dropped FROM hindsight.recording")[0]
        self.assertEqual(row, ["kiosk 7", "1000", str(path.stat().st_size), "closed", "t", "0"])

    def test_a_device_is_the_installation_that_a_recording_names_unless_the_push_says_another(self):
        path = self.folder / "named.hindsight"
        path.write_bytes((FIXTURES / "todo.hindsight").read_bytes())
        connection = sqlite3.connect(path)
        connection.executescript("INSERT INTO recording VALUES ('installation', 'phone 42')")
        connection.close()
        self.push(path)
        self.assertEqual(self.sql("SELECT device FROM hindsight.recordings"), [["phone 42"]])
        self.sql("SELECT hindsight.forget(id) FROM hindsight.recording")
        identity = self.push("--device", "kiosk-7", path)[0]["id"]
        self.assertEqual(self.sql("SELECT device FROM hindsight.recordings"), [["kiosk-7"]])
        output = self.folder / "out.hindsight"
        self.pull(identity, output)
        self.assertEqual(json.loads(tool("info", output, "--json").stdout)["installation"], "phone 42")
        # One that is there as it is gets the name, whether it is read again or not.
        for name, unread in (("kiosk-8", True), ("kiosk-9", False), (None, True)):
            if not unread:
                path.write_bytes(path.read_bytes())
            [pushed] = self.push(*(["--device", name] if name else []), path)
            self.assertEqual((pushed["outcome"], pushed["nanoseconds"]["reading"] == 0), ("same", unread))
            self.assertEqual(self.sql("SELECT device FROM hindsight.recordings"), [[name or "kiosk-9"]])

    def test_files_that_have_not_changed_are_not_read_again(self):
        folder = self.folder / "runs"
        folder.mkdir()
        names = [f"{number}.hindsight" for number in range(20)]
        for number, name in enumerate(names):
            path = self.make_text(f"{number}.jsonl", 50 + number, created=1_790_000_000_000_000_000 + number * 10**9)
            tool("import", path, "-o", folder / name)
        first = self.push(folder)
        self.assertEqual([row["outcome"] for row in first], ["new"] * 20)

        def again():
            return {row["file"].split("/")[-1]: row for row in self.push(folder)}

        second = again()
        for row in first:
            known = second[row["file"].split("/")[-1]]
            self.assertEqual(known["outcome"], "same")
            for key in ("id", "actions", "complete", "bytes", "chunks"):
                self.assertEqual(known[key], row[key])
            self.assertEqual(known["nanoseconds"]["reading"], 0)
        # Another file under the name, the same contents anew, one that the archive has lost, and one that is gone.
        (folder / names[0]).write_bytes((folder / names[1]).read_bytes())
        (folder / names[2]).write_bytes((folder / names[2]).read_bytes())
        self.sql(f"SELECT hindsight.forget('{second[names[3]]['id']}')")
        tool("archive", "forget", self.url, "--recording", second[names[4]]["id"])
        (folder / names[5]).unlink()
        third = again()
        self.assertEqual(third[names[0]]["id"], second[names[1]]["id"])
        outcomes = {name: third[name]["outcome"] for name in names if name in third}
        self.assertEqual(outcomes, {name: "same" for name in names if name != names[5]}
                         | {names[3]: "new", names[4]: "forgotten"})
        read = {name for name, row in third.items() if row["nanoseconds"]["reading"] > 0}
        self.assertEqual(read, {names[0], names[2], names[3]})
        self.assertEqual(again()[names[4]]["outcome"], "forgotten")
        # The archive has the number of its chunks, but not the right ones.
        self.sql(f"UPDATE hindsight.chunk SET first = first + 1000000 WHERE recording = '{second[names[6]]['id']}'")
        self.assertGreater(again()[names[6]]["sent"]["chunks"], 0)
        self.pull(second[names[6]]["id"], self.folder / "mended.hindsight")
        # Who takes a removal back gets the file again.
        self.sql("DELETE FROM hindsight.gone")
        self.assertEqual(again()[names[4]]["outcome"], "new")
        # A damaged list, and another archive.
        for cache in pathlib.Path(os.environ["XDG_CACHE_HOME"]).rglob("pushed-*.json"):
            cache.write_text("{")
        self.assertEqual({row["outcome"] for row in self.push(folder)}, {"same"})
        other = self.make_database()
        tool("archive", "init", self.server.url(other))
        self.assertEqual({row["outcome"] for row in self.push(folder, url=self.server.url(other))}, {"new", "same"})

    def test_pull_takes_conditions_and_beginnings_of_ids(self):
        pushed = self.push(FIXTURES / "todo.hindsight", FIXTURES / "checkout.hindsight")
        ids = {recording["id"] for recording in pushed}
        found = self.pull("actions > 0", self.folder / "all/")
        self.assertEqual({recording["id"] for recording in found}, ids)
        self.pull(pushed[0]["id"][:8], self.folder / "one.hindsight")
        self.assertTrue((self.folder / "one.hindsight").exists())
        self.assertIn("no recording", tool("archive", "pull", self.url, "0123abcd", code=3).stderr)
        # A short beginning is no SQL.
        short = next(f"{number:02x}" for number in range(256) if not any(each.startswith(f"{number:02x}") for each in ids))
        for text in (short, short.upper()):
            self.assertIn(f'no recording "{text}"', tool("archive", "pull", self.url, text, code=3).stderr)
        found = self.pull(pushed[0]["id"][:3], self.folder / "short.hindsight")
        self.assertEqual([recording["id"] for recording in found], [pushed[0]["id"]])
        tool("archive", "pull", self.url, "actions > 0; DROP SCHEMA hindsight CASCADE", code=3)
        tool("archive", "pull", self.url, "pg_catalog.set_config('x.y', '1', false) = (DELETE", code=3)
        exists = tool("archive", "pull", self.url, pushed[0]["id"], "-o", self.folder / "one.hindsight", code=2)
        self.assertIn("--force", exists.stderr)


class GrowingTest(ArchiveTest):
    def rows(self):
        return self.sql("SELECT actions, complete, ending FROM hindsight.recording")

    def test_a_growing_recording_is_replaced_as_it_grows(self):
        recorder = self.start_recorder("live.hindsight")
        path = self.folder / "live.hindsight"
        identities, total = set(), 0
        long = "x" * 600
        for count in (5, 100, 300):
            recorder.stdin.write("".join(ADD % f"{count} {number} {long}" for number in range(count)).encode())
            recorder.stdin.flush()
            total += count
            self.wait_for_recorded(path, total)
            pushed = self.push(path)[0]
            identities.add(pushed["id"])
            self.assertEqual((pushed["actions"], pushed["complete"]), (total, False))
            self.assertEqual(self.rows()[0][1:], ["f", "recording"])
        recorder.stdin.close()
        recorder.wait()
        pushed = self.push(path)[0]
        identities.add(pushed["id"])
        self.assertEqual(len(identities), 1)
        self.assertEqual(self.rows(), [["405", "t", "closed"]])
        self.pull(pushed["id"], self.folder / "pulled.hindsight")
        self.assertEqual(self.text(self.folder / "pulled.hindsight"), self.text(path))
        # The tails that grew are gone.
        self.assertEqual(int(self.sql("SELECT count(*) FROM hindsight.chunk")[0][0]), pushed["chunks"])

    def test_an_earlier_state_does_not_replace_a_later_one(self):
        long = self.make_text("long.jsonl", 400, size=1200)
        whole = self.push(long)[0]
        lines = long.read_text().splitlines(keepends=True)
        short = self.folder / "short.jsonl"
        short.write_text("".join(lines[:241] + lines[-1:]))
        self.assertEqual(self.push(short)[0]["outcome"], "older")
        self.pull(whole["id"], self.folder / "pulled.hindsight")
        self.assertEqual(self.text(self.folder / "pulled.hindsight"), long.read_text())

    def test_another_recording_with_the_same_id_is_refused_unless_it_is_to_replace(self):
        first = self.make_text("first.jsonl", 200, size=1200)
        other = self.make_text("other.jsonl", 300, size=1200)
        same = self.make_text("same.jsonl", 200, size=1200)
        whole = self.push(first)[0]
        for path in (other, same):
            answer = tool("archive", "push", self.url, path, code=3)
            self.assertIn("another recording", answer.stderr)
            self.assertIn("--replace", answer.stderr)
        self.pull(whole["id"], self.folder / "pulled.hindsight")
        self.assertEqual(self.text(self.folder / "pulled.hindsight"), first.read_text())
        replaced = self.push("--replace", other)[0]
        self.assertEqual((replaced["id"], replaced["outcome"]), (whole["id"], "grown"))
        self.pull(whole["id"], self.folder / "pulled.hindsight", "--force")
        self.assertEqual(self.text(self.folder / "pulled.hindsight"), other.read_text())
        self.assertEqual(int(self.sql("SELECT count(*) FROM hindsight.chunk")[0][0]), replaced["chunks"])

    def test_a_recording_of_one_action_is_replaced_by_its_own_continuation_only(self):
        # Without a UUID, apps of a fleet that start in the same microsecond have the same key.
        first = self.make_text("first.jsonl", 1, size=10)
        text = first.read_text()
        whole = self.push(first)[0]
        lines = text.splitlines(keepends=True)
        others = {
            "other": self.make_text("other.jsonl", 1, size=10).read_text(),
            "longer": self.make_text("longer.jsonl", 2, size=10).read_text(),
            "open": self.make_text("open.jsonl", 1, size=10, facts={}).read_text(),
            "empty": lines[0] + lines[-1],
        }
        for name, other in others.items():
            path = self.folder / f"{name}.jsonl"
            path.write_text(other)
            with self.subTest(name=name):
                self.assertIn("another recording", tool("archive", "push", self.url, path, code=3).stderr)
                self.pull(whole["id"], self.folder / "pulled.hindsight", "--force")
                self.assertEqual(self.text(self.folder / "pulled.hindsight"), text)
        # It goes on with the same first action.
        longer = others["longer"].splitlines(keepends=True)
        more = json.loads(longer[2])
        more["changes"]["count"][1]["old"] = json.loads(lines[1])["changes"]["count"][1]["value"]
        grown = self.folder / "grown.jsonl"
        grown.write_text("".join(lines[:2]) + json.dumps(more, separators=(",", ":")) + "\n" + lines[-1])
        self.assertEqual(self.push(grown)[0]["outcome"], "grown")
        self.assertEqual(self.rows(), [["2", "t", "closed"]])

    def test_recordings_with_uuids_have_these_as_keys(self):
        uuids = [str(uuid.UUID(int=self.random.getrandbits(128), version=4)) for _ in range(2)]
        texts = [
            self.make_text(f"{name}.jsonl", 1, size=10, facts={"closed": 1_790_000_900_000_000_000, "id": name})
            for name in uuids
        ]
        pushed = self.push(*texts)
        self.assertEqual([(it["id"], it["outcome"]) for it in pushed], [(name, "new") for name in uuids])
        # A part of one is another recording.
        part = self.folder / "part.jsonl"
        tool("cut", texts[0], "0", "1", "-o", part)
        self.assertNotIn(self.push(part)[0]["id"], uuids)
        # Another recording under the UUID of the first is refused.
        fake = self.make_text("fake.jsonl", 1, size=10, facts={"closed": 1_790_000_900_000_000_000, "id": uuids[0]})
        answer = tool("archive", "push", self.url, texts[1], fake, code=3)
        self.assertIn("another recording", answer.stderr)
        self.assertIn(f"{fake} was not pushed.", answer.stderr)

    def start_follower(self, runs, role):
        """A push of a new directory that goes on, by a role of its own."""
        runs.mkdir()
        follower = subprocess.Popen(
            [TOOL, "archive", "push", self.make_role(role, "hindsight_push"), "--follow", str(runs)],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
        )
        self.addCleanup(follower.communicate)
        self.addCleanup(follower.kill)
        return follower

    def test_follow_tries_again_what_the_server_refused(self):
        runs = self.folder / "runs"
        follower = self.start_follower(runs, "follow_role")
        self.make_text("a.jsonl", 5).rename(runs / "a.jsonl")
        self.wait_for("5")
        self.sql("REVOKE hindsight_push FROM follow_role")
        self.make_text("a.jsonl", 10).rename(runs / "a.jsonl")
        self.assertIn(b"a.jsonl was not pushed.", follower.stderr.readline())
        self.assertIn(b"permission denied", follower.stderr.readline())
        self.sql("GRANT hindsight_push TO follow_role")
        self.wait_for("10")

    def test_follow_waits_before_it_sends_a_growing_recording_again_that_was_refused(self):
        follower = self.start_follower(self.folder / "runs", "growing_role")
        recorder = self.start_recorder("runs/a.hindsight")
        recorder.stdin.write((ADD % "first").encode())
        recorder.stdin.flush()
        self.wait_for("1")
        self.sql("REVOKE hindsight_push FROM growing_role")
        recorder.stdin.write((ADD % "second").encode())
        recorder.stdin.flush()
        self.assertIn(b"a.hindsight was not pushed.", follower.stderr.readline())
        self.assertIn(b"permission denied", follower.stderr.readline())
        begun = time.monotonic()
        # It tries again after 2 s, and then after 4 s more.
        for number in range(20):
            recorder.stdin.write((ADD % number).encode())
            recorder.stdin.flush()
            time.sleep(0.25)
        follower.send_signal(signal.SIGINT)
        refusals = follower.communicate(timeout=PATIENCE)[1].count(b"permission denied")
        self.assertLessEqual(refusals, (time.monotonic() - begun) / 2)

    def test_follow_sends_what_is_recorded(self):
        runs = self.folder / "runs"
        runs.mkdir()
        follower = subprocess.Popen(
            [TOOL, "archive", "push", self.url, "--follow", "--json", str(runs)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        self.addCleanup(follower.communicate)
        self.addCleanup(follower.kill)
        recorder = self.start_recorder("runs/a.hindsight")
        for number in range(3):
            recorder.stdin.write((ADD % number).encode())
            recorder.stdin.flush()
            self.wait_for(str(number + 1))
        # The server goes away in between.
        self.server.stop()
        recorder.stdin.write((ADD % "while away").encode())
        recorder.stdin.flush()
        self.assertIn("Waiting for the server", follower.stderr.readline())
        self.server.start()
        self.wait_for("4")
        recorder.stdin.close()
        recorder.wait()
        self.wait_for("4", complete="t")
        follower.send_signal(signal.SIGINT)
        follower.wait(PATIENCE)
        self.assertEqual(follower.returncode, -signal.SIGINT)

    def wait_for(self, actions, complete=None):
        def has():
            rows = self.rows()
            return rows and rows[0][0] == actions and complete in (None, rows[0][1])

        self.poll(has, f"{actions} actions in the archive")


class LibraryTest(unittest.TestCase):
    @unittest.skipUnless(shutil.which("ldd"), "ldd is missing")
    def test_only_the_tool_with_the_trait_links_libpq(self):
        def links(path):
            return "libpq." in subprocess.run(["ldd", path], capture_output=True, text=True, check=True).stdout

        self.assertTrue(links(TOOL))
        self.assertFalse(links(PLAIN_TOOL))

    def test_the_tool_without_the_trait_has_no_archive(self):
        answer = tool("archive", "status", "", path=PLAIN_TOOL, code=2)
        self.assertIn("--traits Archive", answer.stderr)


if __name__ == "__main__":
    unittest.main()
