import TestSupport

/// A recording with its sidecar files.
struct Specimen: Sendable {
    let name: String
    /// Contents by name suffix: empty for the recording itself, then `-wal`, `-ahead`, `-journal`.
    var files: [String: [UInt8]]
}

/// A specimen with a change that no recorder makes. The same number leads to the same mutant.
struct Mutant: Sendable {
    let number: UInt64
    let original: Specimen
    var files: [String: [UInt8]]
    /// A description of the change.
    private(set) var recipe: String

    /// - Parameters:
    /// - seed: The seed of the whole run. Each number has a seed of its own.
    /// - scratch: A directory for SQLite to work in.
    init(_ number: UInt64, seed: UInt64, of specimens: [Specimen], scratch: String) {
        self.number = number
        var random = Seeded(seed: seed &+ number &* 0x9E37_79B9_7F4A_7C15)
        original = random.pick(specimens)
        files = original.files
        recipe = original.name
        switch random.below(10) {
        case 0...4: damageBytes(&random)
        case 5...6: damagePages(&random)
        case 7: note(HostileSidecar.change(&files, &random))
        default:
            note(HostileSQL.change(&files, &random, scratch: scratch))
            if random.once(in: 6) { damageBytes(&random) }
        }
    }

    private mutating func note(_ words: String) { recipe += "; \(words)" }

    private mutating func damageBytes(_ random: inout Seeded) {
        // The recording itself most of the time.
        let place = random.once(in: 3) ? random.pick(files.keys.sorted()) : ""
        guard var bytes = files[place], !bytes.isEmpty else { return }
        for _ in 0...(random.once(in: 2) ? 0 : random.below(6)) {
            note("\(place) " + Damage.change(&bytes, &random))
        }
        files[place] = bytes
    }

    private mutating func damagePages(_ random: inout Seeded) {
        guard var bytes = files[""] else { return }
        for _ in 0...random.below(3) { note(PageDamage.change(&bytes, &random)) }
        files[""] = bytes
    }
}
