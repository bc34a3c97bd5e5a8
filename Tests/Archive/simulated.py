"""Archives with rows of recordings that nobody recorded."""

import json
import subprocess

from support import TOOL, ArchiveTest, json_lines, tool

ENDINGS = ["closed", "open", "exited", "crashed", "stopped", "recording"]


class SimulatedTest(ArchiveTest):
    """A test whose recordings are rows only: they have no bodies, and cannot be pulled."""

    def simulate(self, count, start="2026-01-01Z", step="1 hour", apps=2):
        """Recordings with the numbers 1 to `count` at the end of their ids, one each `step`."""
        self.sql(
            f"""
            SELECT hindsight.make_month(m) FROM generate_series(
                date_trunc('month', '{start}'::timestamptz, 'UTC'), '{start}'::timestamptz + {count} * '{step}'::interval,
                '1 month') AS m;
            INSERT INTO hindsight.recording (started, id, app, app_version, schema_version, device, platform, created_ns,
                ending, crash_seq, crash_type, crash_reducer, reducers, dropped, actions, notes, bytes, stored_bytes, format,
                complete, hash, pushed)
            SELECT '{start}'::timestamptz + n * '{step}'::interval,
                ('00000000-0000-8000-8000-' || lpad(to_hex(n), 12, '0'))::uuid, 'App' || n % {apps}, '1.' || n % 7, 1,
                'device' || n % 500, 'Linux', 0, CASE WHEN n % 10 = 0 THEN 'crashed' ELSE 'closed' END,
                CASE WHEN n % 10 = 0 THEN n % 50 END, CASE WHEN n % 10 = 0 THEN 'type' || n % 13 END,
                CASE WHEN n % 10 = 0 THEN 'reducer' || n % 5 END, ARRAY['a', 'b'], 0, n % 1000, 0, 100000 + n % 7,
                20000 + n % 1000, 1, true, decode(lpad(to_hex(n), 64, '0'), 'hex'), '{start}'::timestamptz + n * '{step}'::interval
            FROM generate_series(1, {count}) AS n;
            ANALYZE hindsight.recording;
            """
        )

    def simulate_jobs(self, key="01", lease=60, attempts=3, build="build"):
        """A run with a job for each recording. Returns its number."""
        return self.sql(
            f"""
            SELECT hindsight.join_run('verify', '\\x{key}', '{build}', '{{}}', '{{}}', {lease}, {attempts}) AS run \\gset
            SELECT hindsight.add_jobs(:run, array_agg(started), array_agg(id), false) FROM hindsight.recordings \\g /dev/null
            SELECT :run
            """
        )[0][0]

    def list(self, *words):
        return json_lines(tool("archive", "list", self.url, "--json", *words).stdout)


def started(*words):
    """The tool, running."""
    return subprocess.Popen([TOOL, *map(str, words)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def verdicts(answer):
    return json.loads(answer.stdout)["verdicts"]
