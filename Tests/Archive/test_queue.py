"""Tests `archive verify`, and the queue that it shares with `archive find`."""

import json
import signal
import threading
import time

from simulated import SimulatedTest, started, verdicts
from support import FIXTURES, PATIENCE, TORTURE, ArchiveTest, json_lines, tool

ADD = '{"add":{"title":"%s"}}\n'


class QueueTest(SimulatedTest):
    """The queue by its functions, without workers."""

    def claim(self, run, worker, beyond=0):
        """The number and the attempt of a claimed job, or `None`."""
        rows = self.sql(f"SELECT number, attempts FROM hindsight.claim({run}, '{worker}', {beyond}, true)")
        return (int(rows[0][0]), int(rows[0][1])) if rows else None

    def finish(self, run, job, worker, verdict="equal"):
        return self.sql(f"SELECT hindsight.finish({run}, {job[0]}, '{worker}', {job[1]}, '{verdict}', '{{}}')") == [["t"]]

    def test_each_job_is_claimed_once_and_the_largest_comes_first(self):
        self.simulate(30)
        run = self.simulate_jobs()
        claims = [self.claim(run, "w", beyond) for beyond in [0] * 10 + [25] * 10 + [3] * 10]
        self.assertEqual(sorted(claims), [(number, 1) for number in range(1, 31)])
        self.assertIsNone(self.claim(run, "w"))
        sizes = self.sql(
            """SELECT r.bytes FROM hindsight.job AS j JOIN hindsight.recording AS r ON r.id = j.recording ORDER BY j.number"""
        )
        self.assertEqual(sizes, sorted(sizes, reverse=True))

    def test_only_the_worker_that_has_the_lease_writes_a_result(self):
        self.simulate(1)
        run = self.simulate_jobs(lease=3600)
        slow = self.claim(run, "slow")
        self.assertIsNone(self.claim(run, "quick"))
        self.sql("UPDATE hindsight.job SET lease_until = now() - interval '1 s'")
        quick = self.claim(run, "quick")
        self.assertEqual(quick, (1, 2))
        self.assertFalse(self.finish(run, slow, "slow", "diverged"))
        self.assertTrue(self.finish(run, quick, "quick"))
        # The answer may have been lost: the same again is true, and changes nothing.
        self.assertTrue(self.finish(run, quick, "quick"))
        self.assertFalse(self.finish(run, quick, "quick", "diverged"))
        self.assertEqual(self.sql("SELECT verdict, worker FROM hindsight.job"), [["equal", "quick"]])

    def test_a_heart_beat_keeps_a_lease(self):
        self.simulate(2)
        run = self.simulate_jobs(lease=3600)
        first = self.claim(run, "w")
        for _ in range(4):
            # Its lease would end now.
            self.sql("UPDATE hindsight.job SET lease_until = now() WHERE number = 1")
            self.assertEqual(self.sql(f"SELECT hindsight.beat({run}, 'w', ARRAY[1, 2])"), [["1"]])
        left = "SELECT lease_until - now() BETWEEN '50 min' AND '1 h' FROM hindsight.job WHERE number = 1"
        self.assertEqual(self.sql(left), [["t"]])
        self.assertEqual(self.claim(run, "other"), (2, 1))
        self.assertIsNone(self.claim(run, "other"))
        self.assertTrue(self.finish(run, first, "w"))

    def test_workers_that_die_are_no_verdict(self):
        self.simulate(1)
        run = self.simulate_jobs(lease=3600, attempts=2)
        for attempt in range(1, 8):
            self.assertEqual(self.claim(run, f"w{attempt}"), (1, attempt))
            self.sql("UPDATE hindsight.job SET lease_until = now() - interval '1 s' WHERE state = 'claimed'")
        last = self.claim(run, "w")
        self.assertTrue(self.finish(run, last, "w"))
        self.assertEqual(self.sql("SELECT verdict FROM hindsight.job"), [["equal"]])

    def test_a_job_whose_process_is_ended_too_often_becomes_poison(self):
        self.simulate(2)
        run = self.simulate_jobs(lease=3600, attempts=2)
        for attempt in (1, 2):
            self.assertEqual(self.claim(run, "w")[1], attempt)
            self.sql(f"SELECT hindsight.give_up({run}, 'w', 1)")
        self.assertEqual(self.claim(run, "w"), (2, 1))
        self.assertEqual(self.sql("SELECT verdict FROM hindsight.job WHERE number = 1"), [["poison"]])

    def test_a_process_that_ended_counts_once_however_often_it_is_told(self):
        self.simulate(1)
        run = self.simulate_jobs(lease=3600, attempts=2)
        self.assertEqual(self.claim(run, "w"), (1, 1))
        # The answer to the first call was lost.
        for _ in range(2):
            self.sql(f"SELECT hindsight.give_up({run}, 'w', 1)")
        self.assertEqual(self.claim(run, "w"), (1, 2))
        self.sql(f"SELECT hindsight.give_up({run}, 'w', 1)")
        self.assertIsNone(self.claim(run, "w"))
        self.assertEqual(self.sql("SELECT verdict FROM hindsight.job"), [["poison"]])

    def test_jobs_that_are_given_back_wait_as_if_they_had_not_been_claimed(self):
        self.simulate(3)
        run = self.simulate_jobs()
        jobs = [self.claim(run, "w") for _ in range(2)]
        self.sql(f"SELECT hindsight.give_back({run}, 'w', ARRAY[1, 2]), hindsight.give_back({run}, 'other', ARRAY[3])")
        self.assertEqual(self.sql("SELECT DISTINCT state, attempts FROM hindsight.job"), [["waiting", "0"]])
        self.assertFalse(self.finish(run, jobs[0], "w"))

    def test_runs_are_joined_by_their_key_and_jobs_are_added_once(self):
        self.simulate(20)
        runs = []

        def join():
            runs.append(self.simulate_jobs())

        threads = [threading.Thread(target=join) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(len(set(runs)), 1)
        self.assertEqual(self.sql("SELECT count(*), max(number) FROM hindsight.job"), [["20", "20"]])
        self.assertNotEqual(self.simulate_jobs(key="02"), runs[0])

    def test_a_long_transaction_of_others_does_not_slow_claims(self):
        count = 30_000 if TORTURE else 3000
        self.simulate(count)
        run = self.simulate_jobs()
        self.start_session("BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT count(*) FROM hindsight.job")
        # Each call is a transaction of its own, as a worker's.
        self.sql(
            f"""
            SET search_path = pg_catalog;
            CREATE PROCEDURE pg_temp.work(times bigint) LANGUAGE plpgsql AS $$
            DECLARE
                job record;
                last bigint := 0;
                start timestamptz;
            BEGIN
                CREATE TEMP TABLE took (took interval);
                FOR n IN 1..times LOOP
                    start := clock_timestamp();
                    SELECT * INTO job FROM hindsight.claim({run}, 'w', last, n % 100 = 0);
                    INSERT INTO took VALUES (clock_timestamp() - start);
                    last := job.number;
                    COMMIT;
                    PERFORM hindsight.finish({run}, job.number, 'w', job.attempts, 'equal', NULL);
                    COMMIT;
                END LOOP;
            END $$;
            CALL pg_temp.work({count * 2 // 3});
            """
            + "SELECT extract(epoch FROM percentile_cont(0.5) WITHIN GROUP (ORDER BY took)) * 1000 FROM took"
        )
        # Of some calls, the quickest: other programs disturb.
        last = self.sql(
            f"""SELECT clock_timestamp() AS start \\gset
            SELECT number FROM hindsight.claim({run}, 'w', {count * 2 // 3}, false) \\g /dev/null
            SELECT extract(epoch FROM clock_timestamp() - :'start') * 1000;
            """ * 5
        )
        self.assertLess(min(float(row[0]) for row in last), 50)


class ManyResultsTest(SimulatedTest):
    def test_recordings_without_a_state_take_no_place_of_others(self):
        self.simulate(20_001)
        words = ["archive", "verify", self.url, "--build", "b", "--jobs", "0", "--json"]
        tool(*words)
        self.sql(
            """UPDATE hindsight.job SET state = 'done', verdict = CASE number WHEN 20001 THEN 'poison' ELSE 'empty' END;
            UPDATE hindsight.job SET result = '{}' WHERE verdict = 'empty'"""
        )
        answer = json.loads(tool(*words, code=3).stdout)
        self.assertEqual(answer["verdicts"], {"empty": 20_000, "poison": 1})
        self.assertEqual(len(answer["notVerified"]), 1)


class VerifyTest(ArchiveTest):
    """Workers, by the tool."""

    def make_recordings(self, count):
        """Pushes recordings of the app todo. Returns their ids."""
        for number in range(count):
            self.record(f"runs-{number}.hindsight", [ADD % f"{number}-{line}" for line in range(5)])
        return [row["id"] for row in self.push(*sorted(self.folder.glob("runs-*.hindsight")))]

    def verify(self, *words, code=0):
        return tool("archive", "verify", self.url, "--json", "--wait", *words, code=code)

    def make_different(self):
        """Pushes a recording whose actions do not lead to its states. Returns its id."""
        # A NUL, which PostgreSQL's texts and jsonb cannot have.
        path = self.record("different.hindsight", [ADD % "before \\u0000", ADD % "after"])
        text = self.text(path).replace('"payload":{"add":{"title":"after"', '"payload":{"add":{"title":"other"')
        changed = self.folder / "different.jsonl"
        changed.write_text(text)
        self.assertNotEqual(text, self.text(path))
        return self.push(changed)[0]["id"]

    def test_a_result_of_another_version_is_told_and_replaced(self):
        self.make_different()
        words = ("--build", "b")
        before = json.loads(self.verify(*words, code=1).stdout)["classes"]
        self.sql("UPDATE hindsight.job SET result = '{\"differences\": 1}'")
        [row] = json.loads(self.verify(*words, code=3).stdout)["notVerified"]
        self.assertIn("cannot be read", row["error"])
        self.assertIn("--again", row["error"])
        self.assertEqual(json.loads(self.verify(*words, "--again", code=1).stdout)["classes"], before)

    def test_several_workers_give_each_job_one_result(self):
        ids = self.make_recordings(16)
        workers = [started("archive", "verify", self.url, "--json", "--wait", "--jobs", "2") for _ in range(3)]
        for worker in workers:
            output, errors = worker.communicate(timeout=300)
            self.assertEqual(worker.returncode, 0, errors)
            self.assertEqual(json.loads(output)["verdicts"], {"equal": 16})
        rows = self.sql("SELECT id, attempts, state FROM hindsight.results ORDER BY id")
        self.assertEqual(rows, [[identity, "1", "done"] for identity in sorted(ids)])

    def test_a_recording_whose_writing_takes_longer_than_a_lease_is_not_taken_over(self):
        self.push(self.make_text("large.jsonl", 8000, size=1000))
        words = ["archive", "find", self.url, "/count = 5", "--lease", "2", "--jobs", "1", "--wait"]
        workers = [started(*words) for _ in range(2)]
        try:
            self.expect_one_attempt(workers)
        finally:
            self.end(workers)

    def test_a_worker_whose_connection_is_lost_keeps_its_lease(self):
        self.push(self.make_text("large.jsonl", 12_000, size=1000))
        words = ["archive", "find", self.url, "/count = 5", "--lease", "3", "--jobs", "1", "--wait"]
        workers = [started(*words)]
        try:
            self.wait_for("SELECT count(*) = 1 FROM hindsight.job WHERE state <> 'waiting'")
            self.sql(
                """SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                WHERE datname = current_database() AND application_name = 'hindsight'"""
            )
            # A worker that loses its connection before it has joined the run ends.
            workers.append(started(*words))
            self.expect_one_attempt(workers)
        finally:
            self.end(workers)

    def expect_one_attempt(self, workers):
        """Waits for workers of one job, of which one has done it at its first attempt."""
        for worker in workers:
            _, errors = worker.communicate(timeout=300)
            self.assertEqual(worker.returncode, 0, errors)
        self.assertEqual(self.sql("SELECT attempts, verdict FROM hindsight.job"), [["1", "found"]])

    def end(self, workers):
        for worker in workers:
            worker.kill()
            worker.communicate()

    def test_workers_that_are_killed_leave_no_job_behind(self):
        count, kills = (60, 50) if TORTURE else (20, 6)
        self.make_recordings(count)
        words = ("archive", "verify", self.url, "--lease", "2", "--attempts", "1000", "--jobs", "2", "--build", "b", "--wait")
        workers = [started(*words) for _ in range(4)]
        latest = 0.0
        for _ in range(kills):
            time.sleep(self.random.uniform(0.05, 0.5))
            victim = self.random.randrange(4)
            workers[victim].kill()
            workers[victim].communicate()
            workers[victim] = started(*words)
            late = self.sql(
                "SELECT coalesce(max(extract(epoch FROM now() - lease_until)), 0) FROM hindsight.job WHERE state = 'claimed'"
            )
            latest = max(latest, float(late[0][0]))
        for worker in workers:
            _, errors = worker.communicate(timeout=300)
            self.assertEqual(worker.returncode, 0, errors)
        self.assertEqual(
            self.sql("SELECT state, verdict, count(*) FROM hindsight.job GROUP BY 1, 2"), [["done", "equal", str(count)]]
        )
        self.assertEqual(self.sql("SELECT count(DISTINCT recording) FROM hindsight.job"), [[str(count)]])
        # A machine that is busy takes some seconds for a worker to begin, and each is killed soon.
        self.assertLess(latest, 60)

    def test_differences_become_classes_and_groups(self):
        self.make_recordings(2)
        different = self.make_different()
        answer = json.loads(self.verify(code=1).stdout)
        self.assertEqual(answer["verdicts"], {"diverged": 1, "equal": 2})
        self.assertEqual([one["files"] for one in answer["classes"]], [[different]] * len(answer["classes"]))
        self.assertEqual(answer["classes"][0]["type"], "add")
        groups = json_lines(tool("archive", "crashes", self.url, "--json").stdout)
        self.assertEqual({group["kind"] for group in groups}, {"divergence"})
        self.assertEqual({group["example"] for group in groups}, {different})
        text = tool("archive", "verify", self.url, "--wait", code=1).stdout
        self.assertIn("2 equal, 1 diverged", text)
        self.assertIn("archive pull", text)
        # The folder of the worker is no file of the reader's. That of the server stands in its URL.
        self.assertNotIn("/tmp", text.replace(self.url, ""))

    def test_a_result_belongs_to_a_build_and_to_what_the_recording_was(self):
        self.make_recordings(3)
        self.assertEqual(verdicts(self.verify()), {"equal": 3})
        again = tool("archive", "verify", self.url, "--wait")
        self.assertIn("0 recordings to do", again.stderr)
        path = self.folder / "runs-0.hindsight"
        tool("note", path, "2", "seen")
        self.push(path)
        self.assertIn("1 recording to do", tool("archive", "verify", self.url, "--wait").stderr)
        other = tool("archive", "verify", self.url, "--wait", "--build", "other")
        self.assertIn("3 recordings to do", other.stderr)
        self.assertIn("3 recordings to do", tool("archive", "verify", self.url, "--wait", "--again").stderr)

    def test_a_recording_that_cannot_be_verified_is_a_result(self):
        self.make_recordings(2)
        unknown = self.push(self.make_text("unknown.jsonl", 5))[0]["id"]
        answer = json.loads(self.verify(code=4).stdout)
        self.assertEqual(answer["verdicts"], {"equal": 2, "failed": 1})
        self.assertEqual([row["file"] for row in answer["notVerified"]], [unknown])
        self.sql(f"UPDATE hindsight.chunk SET body = substr(body, 3) WHERE recording = '{unknown}'")
        damaged = json.loads(self.verify("--again", code=3).stdout)
        self.assertEqual(damaged["verdicts"], {"equal": 2, "failed": 1})
        self.assertIn("damaged", damaged["notVerified"][0]["error"])

    def test_a_recording_without_actions_does_not_hide_a_difference(self):
        self.push(self.record("nothing.hindsight", []))
        self.assertEqual(verdicts(self.verify(code=6)), {"failed": 1})
        self.make_different()
        self.assertEqual(verdicts(self.verify(code=1)), {"diverged": 1, "failed": 1})

    def test_a_run_that_is_deleted_while_it_is_joined_is_told(self):
        self.make_recordings(1)
        self.sql(
            """ALTER FUNCTION hindsight.add_jobs RENAME TO add_jobs_inside;
            CREATE FUNCTION hindsight.add_jobs(the_run bigint, starts timestamptz[], ids uuid[], repeats boolean)
            RETURNS bigint LANGUAGE plpgsql AS $$ BEGIN
                DELETE FROM hindsight.run;
                RETURN hindsight.add_jobs_inside(the_run, starts, ids, repeats);
            END $$"""
        )
        errors = tool("archive", "verify", self.url, "--wait", code=3).stderr
        self.assertIn("The run was deleted meanwhile.", errors)
        self.assertIn("Run the same command again.", errors)
        self.assertNotIn("foreign key", errors)

    def test_a_filter_that_nothing_fits_does_not_pass(self):
        self.push(FIXTURES / "todo.hindsight")
        answer = self.verify("--app", "tudo", code=6)
        self.assertEqual(verdicts(answer), {})
        self.assertIn("Nothing was compared", answer.stderr)
        self.assertNotIn("Nothing was compared", self.verify("--app", "todo").stderr)
        # What waits may still be compared.
        self.assertEqual(json.loads(tool("archive", "verify", self.url, "--json", "--jobs", "0", "--build", "b").stdout)["waiting"], 1)

    def test_poison_is_a_result_and_does_not_stop_the_others(self):
        self.make_recordings(3)
        tool("archive", "verify", self.url, "--jobs", "0", "--build", "b", "--lease", "1", "--attempts", "1")
        self.sql(
            """SELECT hindsight.claim(id, 'dead', 0, false) FROM hindsight.run;
            SELECT hindsight.give_up(run, 'dead', number) FROM hindsight.job WHERE state = 'claimed'"""
        )
        self.assertEqual(verdicts(self.verify("--build", "b", code=3)), {"equal": 2, "poison": 1})

    def test_a_worker_that_is_asked_to_end_gives_its_jobs_back(self):
        self.make_recordings(12)
        worker = started("archive", "verify", self.url, "--build", "b", "--lease", "3600", "--wait")
        while self.sql("SELECT count(*) FROM hindsight.job WHERE state = 'done'") == [["0"]]:
            self.assertIsNone(worker.poll())
            time.sleep(0.02)
        worker.send_signal(signal.SIGTERM)
        worker.communicate(timeout=PATIENCE)
        self.assertNotEqual(worker.returncode, 0)
        self.assertEqual(self.sql("SELECT count(*) FROM hindsight.job WHERE state = 'claimed'"), [["0"]])
        self.assertEqual(verdicts(self.verify("--build", "b")), {"equal": 12})
        self.assertEqual(self.sql("SELECT DISTINCT attempts FROM hindsight.job"), [["1"]])

    def test_a_server_that_restarts_does_not_stop_a_worker(self):
        self.make_recordings(12)
        worker = started("archive", "verify", self.url, "--json", "--wait")
        # A server that is away when the worker starts is an error.
        while self.sql("SELECT count(*) FROM hindsight.job WHERE state = 'done'") == [["0"]]:
            self.assertIsNone(worker.poll())
            time.sleep(0.02)
        self.server.restart()
        output, errors = worker.communicate(timeout=300)
        self.assertEqual(worker.returncode, 0, errors)
        self.assertEqual(json.loads(output)["verdicts"], {"equal": 12})

    def test_a_reader_may_not_work_and_a_worker_may(self):
        self.push(FIXTURES / "todo.hindsight")
        reader = self.make_role("queue_reader", "hindsight_read")
        self.assertNotEqual(tool("archive", "verify", reader, code=None).returncode, 0)
        worker = self.make_role("queue_worker", "hindsight_work")
        self.assertEqual(verdicts(tool("archive", "verify", worker, "--json", "--wait")), {"equal": 1})

    def test_a_worker_of_one_app_adds_to_a_run_of_all(self):
        self.push(FIXTURES / "todo.hindsight", FIXTURES / "checkout.hindsight")
        tool("archive", "verify", self.url, "--jobs", "0", "--build", "b")
        worker = self.make_role("todo_worker", "hindsight_work", app="todo")
        self.push(self.record("more.hindsight", ['{"add":{"title":"more"}}\n']))
        answer = tool("archive", "verify", worker, "--build", "b", "--json", "--wait")
        self.assertEqual(verdicts(answer), {"equal": 2})
        self.assertEqual(verdicts(tool("archive", "verify", self.url, "--build", "b", "--json", "--wait")), {"equal": 3})
