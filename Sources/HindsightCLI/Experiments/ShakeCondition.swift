import CConditions
import Foundation
import HindsightSupport

/// Something that reducers should not depend on, changed in one run of a recording.
enum ShakeCondition: String, Codable, CaseIterable {
    /// Nothing is changed.
    case process
    case hashing
    case timeZone
    case locale
    case clock
    case runningClock
    case random
    case environment
    case files
    case memory
    case secondRun
    case threads

    /// The condition in a table.
    var name: String {
        switch self {
        case .process: "another process"
        case .hashing: "hash seed"
        case .timeZone: "time zone"
        case .locale: "locale"
        case .clock: "clock"
        case .runningClock: "running clock"
        case .random: "random numbers"
        case .environment: "environment"
        case .files: "files"
        case .memory: "memory"
        case .secondRun: "second run"
        case .threads: "two threads"
        }
    }

    /// What is changed.
    var change: String {
        switch self {
        case .process: "addresses, the process number"
        case .hashing: "sets and dictionaries have another order, \(processes) times"
        case .timeZone: "\(Self.zone) instead of UTC"
        case .locale: "\(Self.language) instead of C"
        case .clock: "400 days and some hours later"
        case .runningClock: "goes on with each reading, instead of standing still in an action"
        case .random: "other ones"
        case .environment: "no variables of yours"
        case .files: "none can be opened outside the system's folders"
        case .memory: "new memory has other contents and other addresses"
        case .secondRun: "all actions again in the same process"
        case .threads: "two replays at once"
        }
    }

    /// What to do about a reducer that depends on it.
    var advice: String {
        switch self {
        case .process:
            "It gives another result in each process: it may depend on an address or the process number, or read the clock"
                + " or make a random number in a way that was not replaced. Pass the value in the action."
        case .memory:
            "It depends on memory that nothing has written, or on an address. Identify things by values of the state."
        case .hashing: "It depends on the order of a set or a dictionary. Sort before you take the first, or loop."
        case .timeZone: "Pass the time zone in the action or the state, or give the calendar or formatter a fixed one."
        case .locale: "Pass the locale in the action or the state, or compare and format without one."
        case .clock, .runningClock: "It reads the clock. Pass the time in the action."
        case .random: "It makes a random number or a UUID. Pass it in the action."
        case .environment: "It reads an environment variable. Put its value into the first state or the action."
        case .files: "It reads a file. Read it in an effect, and dispatch an action with its contents."
        case .secondRun:
            "It keeps something in a global variable or a captured object. Put it into the state."
        case .threads:
            "It shares something with other threads without a lock, or needs the main thread. Put it into the state."
        }
    }

    /// Whether each run under it is another one: a crash need not come each time.
    var isRandom: Bool { self == .hashing || self == .threads }

    /// The number of processes that try it.
    var processes: Int { self == .hashing ? 3 : 1 }

    /// Why it cannot be tried here; `nil` if it can.
    var obstacle: String? {
        switch self {
        case .clock, .runningClock, .random, .files:
            hindsight_conditions_are_possible() ? nil : "needs a tool built for Linux with glibc"
        default: nil
        }
    }

    /// Those that can be tried here.
    static var possible: [Self] { allCases.filter { $0.obstacle == nil } }

    /// What it leaves untried on this system; `nil` if nothing.
    var limit: String? {
        #if os(Linux)
            guard self == .locale else { return nil }
            let current = "Locale.current is the same in each locale on Linux"
            return Self.installed == nil
                ? "\(current), and no other locale is installed; only the variables LANG and LC_ALL were others"
                : "\(current); only the C library's functions see another one"
        #else
            return nil
        #endif
    }

    private static let zone = "Pacific/Chatham"
    /// Locales with another alphabet, or another sign before decimals.
    private static let languages = ["tr_TR.UTF-8", "de_DE.UTF-8", "fr_FR.UTF-8", "es_ES.UTF-8", "pl_PL.UTF-8"]
    /// The first of them that the system has.
    private static let installed = languages.first { hindsight_has_locale($0) }
    private static let language = installed ?? languages[0]

    /// Gives the process of a run its variables.
    func setVariables(_ environment: inout [String: String]) {
        if self == .environment { environment = environment.filter { Self.kept.contains($0.key) } }
        environment["TZ"] = self == .timeZone ? Self.zone : "UTC"
        environment["SWIFT_DETERMINISTIC_HASHING"] = self == .hashing ? nil : "1"
        for name in ["LANG", "LC_ALL", "LANGUAGE"] { environment[name] = self == .locale ? Self.language : "C" }
        if self == .memory { environment["MALLOC_PERTURB_"] = "165" }
    }

    /// Variables that are no user's.
    private static let kept = ["LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "DYLD_FRAMEWORK_PATH", "TMPDIR"]

    /// Makes the condition hold in this process.
    func begin() {
        // What Foundation reads once, from files.
        _ = (Bundle.main.bundlePath, TimeZone.current, Locale.current)
        setlocale(LC_ALL, "")
        hindsight_conditions_set(
            hindsight_conditions(
                clock_shift: self == .clock ? 400 * 86_400_000_000_000 + 20_220_000_000_000 : 0,
                clock_step: self == .runningClock ? 1_500_000_000 : 0,
                random_seed: self == .random ? 2 : 1,
                hides_files: self == .files
            )
        )
        guard self == .memory else { return }
        // Stays taken, so that later values have other addresses.
        for size in stride(from: 16, through: 1 << 16, by: 48) { _ = malloc(size) }
    }
}
