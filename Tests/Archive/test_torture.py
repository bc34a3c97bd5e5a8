"""Kills pushes and servers at random moments, and measures pushes and pulls against psql.

In small with the other tests; in full with HINDSIGHT_TORTURE, as `make torture-archive` does.
"""

import math
import shutil
import subprocess
import time
import unittest

from support import SEED, TOOL, TORTURE, ArchiveTest, Server, json_lines, tool


class KillTest(ArchiveTest):
    """Nothing is lost, and nothing is there twice, whatever is killed in the middle."""

    def make_files(self, count):
        files = []
        for number in range(count):
            actions = self.random.choice([0, 1, 50, 2000, 5000] if TORTURE else [0, 1, 50, 400, 1000])
            files.append(self.make_text(f"{number}.jsonl", actions, size=300, created=1_790_000_000_000_000_000 + number))
        return files

    def check(self, files):
        """Everything is in the archive once, and comes back."""
        rows = self.sql("SELECT count(*), count(DISTINCT id), count(*) FILTER (WHERE NOT complete) FROM hindsight.recording")
        self.assertEqual(rows, [[str(len(files)), str(len(files)), "0"]])
        self.check_chunks()
        output = self.folder / "pulled"
        shutil.rmtree(output, ignore_errors=True)
        pulled = {line["id"] for line in self.pull("true", f"{output}/")}
        self.assertEqual(len(pulled), len(files))
        texts = sorted(self.text(path) for path in output.iterdir())
        self.assertEqual(texts, sorted(path.read_text() for path in files))

    def test_a_push_that_is_killed_at_random_moments_can_be_repeated(self):
        print(f"HINDSIGHT_SEED={SEED}", flush=True)
        for _ in range(5 if TORTURE else 1):
            files = self.make_files(8)
            begun = time.monotonic()
            self.push(*files)
            usual = time.monotonic() - begun
            self.sql("TRUNCATE hindsight.recording, hindsight.head, hindsight.chunk, hindsight.action_type, hindsight.note")
            for _ in range(20 if TORTURE else 6):
                push = subprocess.Popen(
                    [TOOL, "archive", "push", self.url, *map(str, files)],
                    stdout=subprocess.DEVNULL,
                    stderr=subprocess.DEVNULL,
                )
                time.sleep(self.random.uniform(0, usual))
                push.kill()
                push.wait()
                # What readers see is whole at any time.
                for line in self.pull_all():
                    self.assertNotIn("error", line)
            self.push(*files)
            self.check(files)
            self.sql("TRUNCATE hindsight.recording, hindsight.head, hindsight.chunk, hindsight.action_type, hindsight.note")

    def pull_all(self):
        output = self.folder / "seen"
        shutil.rmtree(output, ignore_errors=True)
        answer = tool("archive", "pull", self.url, "true", "--json", "-o", f"{output}/", code=None)
        return json_lines(answer.stdout)

    def test_a_server_that_restarts_at_random_moments_loses_nothing(self):
        own = Server()
        self.addCleanup(own.end)
        self.server, self.database = own, "postgres"
        self.url = own.url("postgres")
        tool("archive", "init", self.url)
        files = self.make_files(8)
        for _ in range(20 if TORTURE else 3):
            push = subprocess.Popen(
                [TOOL, "archive", "push", self.url, *map(str, files)],
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                text=True,
            )
            time.sleep(self.random.uniform(0, 1.5))
            own.restart("immediate")
            errors = push.communicate()[1]
            self.assertIn(push.returncode, (0, 3), errors)
        self.push(*files)
        self.check(files)


@unittest.skipUnless(TORTURE, "measures a release build: make torture-archive")
class SpeedTest(ArchiveTest):
    """Compares with psql in the same run: the archive's bars are ratios."""

    PUSH = 3
    PULL = 1.3

    def copied(self, text):
        """The time of psql for a command, without its start."""
        times = []
        for command in ("SELECT 1", text):
            begun = time.monotonic()
            self.sql(command)
            times.append(time.monotonic() - begun)
        return times[1] - times[0]

    def test_push_and_pull_against_psql(self):
        size = 30_000
        # Other work on the machine only adds to a time.
        best = [math.inf] * 4
        for attempt in range(5):
            path = self.make_text("large.jsonl", size, size=1500, created=1_790_000_000_000_000_000 + attempt)
            begun = time.monotonic()
            pushed = self.push(path)[0]
            pushing = time.monotonic() - begun
            # The lines as they are: no character of them is a quote or a delimiter.
            self.sql("CREATE TABLE IF NOT EXISTS line (line text); TRUNCATE line")
            copying = self.copied(rf"\copy line FROM '{path}' (FORMAT csv, QUOTE E'\x01', DELIMITER E'\x02')")
            key = f"recording = '{pushed['id']}'"
            file = self.folder / "chunks.copy"
            pulled = self.pull(pushed["id"], self.folder / "out.hindsight", "--force")[0]
            self.assertEqual(pulled["actions"], size)
            reading = self.copied(f"\\copy (SELECT body FROM hindsight.chunk WHERE {key}) TO '{file}' (FORMAT binary)")
            times = {name: value / 1e9 for name, value in (pushed["nanoseconds"] | pulled["nanoseconds"]).items()}
            best = [min(pair) for pair in zip(best, (copying, pushing, reading, times["receiving"]))]
            print(
                f"{pushed['sent']['bytes'] >> 10} KB: push {pushing:.3f} s (sending {times['sending']:.3f} s) "
                f"against {copying:.3f} s, pull {times['receiving']:.3f} s (writing {times['writing']:.3f} s) against "
                f"{reading:.3f} s",
                flush=True,
            )
        self.assertLessEqual(best[1] / best[0], self.PUSH)
        self.assertLessEqual(best[3] / best[2], self.PULL)


if __name__ == "__main__":
    unittest.main()
