import HindsightFormat
import HindsightRecording
import HindsightTree

/// Measures the state at some positions of a recording.
struct StateSampler {
    private struct Place: Hashable {
        var path: NodePath
        var unit: Statistics.Growth.Unit
    }

    private(set) var sizes: [Statistics.StateSize] = []
    /// The number at each sample that there may be.
    private var counts: [Place: [Int]] = [:]
    /// The places of texts that were long at a sample.
    private var longTexts: Set<Place> = []

    /// The number of positions, and that for a state larger than ``largeState``, whose every reading takes long.
    private static let (usual, fewest) = (9, 2)
    private static let largeState = 4 << 20
    /// The number of places to follow. A malicious state may have any number.
    private static let maxPlaces = 20_000
    /// The least length of a text that is noticed.
    private static let longText = 256

    /// - Parameter range: The numbers of the first and the last position.
    init(of recording: Recording, in range: ClosedRange<Int>) throws(RecordingError) {
        guard recording.hasStates, let first = Self.position(near: range.lowerBound, recording) else { return }
        let cursor = try StateCursor(on: recording, at: first)
        add(cursor)
        let samples = (sizes.first?.bytes ?? 0) > Self.largeState ? Self.fewest : Self.usual
        for sample in 1..<samples {
            // Numbers of actions are small enough to multiply.
            let seq = range.lowerBound + (range.upperBound - range.lowerBound) * sample / (samples - 1)
            guard let position = Self.position(near: seq, recording), position > cursor.position else {
                continue
            }
            try cursor.move(to: position)
            add(cursor)
        }
    }

    /// The position, or the next one whose state is known.
    private static func position(near seq: Int, _ recording: Recording) -> Recording.Position? {
        let seq = min(max(seq, recording.start.seq), recording.end.seq)
        let known = recording.skippedRun(with: seq)?.upperBound ?? seq
        return known <= recording.end.seq ? Recording.Position(seq: known) : nil
    }

    private mutating func add(_ cursor: StateCursor) {
        var path: [String] = []
        count(cursor.state, &path, isInArray: false)
        sizes.append(Statistics.StateSize(position: cursor.position, bytes: cursor.state.json.utf8.count))
    }

    private mutating func count(_ node: Node, _ path: inout [String], isInArray: Bool) {
        switch node {
        case .array(let elements):
            add(elements.count, .elements, path)
            path.append("*")
            for element in elements { count(element, &path, isInArray: true) }
            path.removeLast()
        case .object(let members):
            add(members.count, .members, path)
            for member in members {
                let isIndex = !member.key.isEmpty && member.key.utf8.allSatisfy(\.isDigit)
                path.append(isIndex ? "*" : member.key)
                count(member.value, &path, isInArray: isInArray)
                path.removeLast()
            }
        case .string(let text) where !isInArray:
            // A long text may have been a short one.
            add(text.utf8.count, .bytes, path)
        default:
            break
        }
    }

    private mutating func add(_ number: Int, _ unit: Statistics.Growth.Unit, _ path: [String]) {
        let place = Place(path: NodePath(path), unit: unit)
        let isLong = unit == .bytes && number >= Self.longText
        // Short texts leave room for the other places.
        let most = unit == .bytes && !isLong ? Self.maxPlaces / 2 : Self.maxPlaces
        guard counts[place] != nil || counts.count < most else { return }
        if isLong { longTexts.insert(place) }
        // The size of this sample is noted last.
        counts[place, default: [Int](repeating: 0, count: Self.usual)][sizes.count] += number
    }

    /// What is larger at the last position than at the first, by decreasing growth, then by path.
    ///
    /// An object in an array is not listed: it grows with the array.
    var growth: [Statistics.Growth] {
        var growth: [Statistics.Growth] = []
        for (place, numbers) in counts {
            let counts = Array(numbers.prefix(sizes.count))
            guard let first = counts.first, let last = counts.last, last > first else { continue }
            if place.unit == .members, place.path.components.contains("*") { continue }
            if place.unit == .bytes, !longTexts.contains(place) { continue }
            growth.append(
                Statistics.Growth(path: place.path.description, unit: place.unit, counts: counts)
            )
        }
        return growth.sorted { ($1.growth, $0.path) < ($0.growth, $1.path) }
    }
}

extension Statistics.Growth {
    /// By how much the number is larger at the last position than at the first.
    package var growth: Int { (counts.last ?? 0) - (counts.first ?? 0) }
}
