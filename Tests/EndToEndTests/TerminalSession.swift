import Foundation
import Testing

/// A program that runs on a pseudo-terminal of 80 columns, while a test types. Needs `python3`.
struct TerminalSession {
    /// What happens once the terminal shows a text that it has not shown before the last step.
    enum Step {
        /// Keys are typed.
        case keys(String, after: String)
        /// A command line runs to its end.
        case shell(String, after: String)
        /// The program gets a signal.
        case signal(Int32, after: String)
    }

    /// Everything that the terminal has shown.
    let screen: String
    /// The exit status; negative for a signal.
    let code: Int
    /// Whether the terminal has the settings from before.
    let isRestored: Bool

    /// Runs a command line in a workshop. A step that waits for longer than a minute fails.
    init(_ line: String, _ steps: [Step], in workshop: Workshop) throws {
        let plan: [[String]] = steps.map { step in
            switch step {
            case .keys(let keys, let text): ["keys", keys, text]
            case .shell(let line, let text): ["shell", line, text]
            case .signal(let number, let text): ["signal", "\(number)", text]
            }
        }
        try JSONSerialization.data(withJSONObject: plan).write(to: workshop.url("plan.json"))
        try workshop.write(Self.driver, to: "terminal.py")
        let result = try workshop.shell("python3 terminal.py plan.json \(line)")
        try #require(result.code == 0, "\(result.errors)\(result.text)")
        let answer = try result.json()
        screen = try #require(answer["screen"] as? String)
        code = try #require(answer["code"] as? Int)
        isRestored = try #require(answer["restored"] as? Bool)
    }

    private static let driver = """
        import fcntl, json, os, pty, select, struct, subprocess, sys, termios, time
        plan = json.load(open(sys.argv[1]))
        master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
        open("terminal", "w").write(os.ttyname(slave))
        before = termios.tcgetattr(slave)
        environment = {k: v for k, v in os.environ.items() if k not in ("CI", "COLUMNS")}
        def begin():
            os.setsid()
            fcntl.ioctl(0, termios.TIOCSCTTY, 0)
        child = subprocess.Popen(sys.argv[2:], stdin=slave, stdout=slave, stderr=slave, preexec_fn=begin,
                                 env=environment)
        screen, seen, end = b"", 0, time.time() + 60
        while True:
            if time.time() < end and select.select([master], [], [], 0.02)[0]:
                screen += os.read(master, 65536)
                continue
            if plan and plan[0][2].encode() in screen[seen:]:
                kind, what, _ = plan.pop(0)
                seen, end = len(screen), time.time() + 60
                if kind == "keys": os.write(master, what.encode())
                if kind == "signal": child.send_signal(int(what))
                if kind == "shell": subprocess.run(["bash", "-c", what], stdout=2, check=False)
            elif child.poll() is not None:
                break
            elif time.time() > end:
                child.kill()
                sys.exit("waited too long for %r after:\\n%s" % (plan[:1], screen.decode(errors="replace")))
        if plan: sys.exit("ended before %r:\\n%s" % (plan[:1], screen.decode(errors="replace")))
        print(json.dumps({"screen": screen.decode(errors="replace"), "code": child.returncode,
                          "restored": termios.tcgetattr(slave) == before}))
        """
}
