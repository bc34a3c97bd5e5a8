import HindsightRecording
import HindsightReplay
import HindsightSupport

/// Tries placeholders in child processes, one after another.
final class Scrubbing {
    let material: ScrubMaterial
    private let recording: Recording
    private let process: ExperimentProcess
    private var tool: Tool { process.tool }

    private(set) var values: [Placeholders.Value] = []
    private(set) var search = ScrubSearch(places: [], [])
    /// The number of values that stay because of `--keep`.
    private(set) var keptCount = 0
    /// The recorded crash, as this build reproduces it.
    private(set) var reference: CrashSite?

    init(_ recording: Recording, _ material: ScrubMaterial, in process: ExperimentProcess) {
        (self.recording, self.material, self.process) = (recording, material, process)
    }

    /// - Throws: ``Failure`` if the recorded actions do not do what was recorded, or no process can be started.
    func run() throws {
        defer { tool.console.clearProgress() }
        try prepare()
        // Values of one place often go together, or not at all.
        var places: [Placeholders.Value.Place: Int] = [:]
        for value in values where places[value.place] == nil { places[value.place] = places.count }
        let numbers = values.map { places[$0.place] ?? 0 }
        let order = values.indices.filter { values[$0].placeholder != nil }
            .sorted { (values[$0].place.path, $0) < (values[$1].place.path, $1) }
        search = ScrubSearch(places: numbers, order)
        while search.candidate != nil, process.interruption == nil {
            let task = ScrubTask(material: material, search: search, crashes: reference != nil)
            let crash = try process.run(task, isBounded: true) { (reply: ScrubTask.Reply) in
                switch reply {
                case .accepted: search.accept()
                case .rejected(let mismatch): search.reject(mismatch)
                case .prepared: break
                }
                showProgress()
            }
            guard let site = crash?.site else { continue }
            if let reference, site.isSame(as: reference), site.point.seq == reference.point.seq {
                search.accept()
            } else {
                let (point, isFatal) = (site.point, site.point.seq > recording.lastFinished)
                let reducer = point.phase == .decoding ? 0 : point.reducer
                let kind: ScrubLaboratory.Mismatch.Kind = reducer == 0 ? .type : isFatal ? .survival : .crash
                search.reject(ScrubLaboratory.Mismatch(seq: point.seq, reducer: reducer, kind))
            }
            showProgress()
        }
    }

    private func showProgress() {
        let runs = Quantities.counted(search.runs, "run")
        tool.console.progress("\(escape(material.file)): \(search.active.count { $0 }) of \(values.count), \(runs)")
    }

    private func prepare() throws {
        var preparation: ScrubTask.Preparation?
        let task = ScrubTask(material: material, search: nil, crashes: false)
        let crash = try process.run(task, isBounded: false) { (reply: ScrubTask.Reply) in
            if case .prepared(let found) = reply { preparation = found }
        }
        if TerminationSignal.received != nil { return }
        (values, keptCount) = (preparation?.values ?? [], preparation?.keptCount ?? 0)
        for pattern in preparation?.unused ?? [] {
            tool.console.note("--keep \(quote(pattern)): there is no such place in the first state or in an action.")
        }
        let name = tool.shown(recording)
        if let divergence = preparation?.divergence {
            let place = divergence > 0 ? "in action \(Quantities.grouped(divergence))" : "at the start"
            throw Failure(
                .doesNotFit,
                "\(name): this build's reducers do something else than was recorded \(place).",
                "Use the build that recorded it, or accept what has changed: review --accept.",
                "If it is the same build, '\(tool.name) shake \(tool.quoted(recording))' says on what the reducers depend."
            )
        }
        let isFatal = crash.map { $0.site.point.seq > recording.lastFinished } ?? false
        if let site = crash?.site, preparation == nil || !isFatal {
            throw Failure(
                .crash,
                "\(name): the app's reducers \(site.verb) in action \(Quantities.grouped(site.point.seq)) when they run the"
                    + " recorded actions.",
                "Scrub the part before it: cut FILE start P -o PART."
            )
        }
        if let fatal = preparation?.fatal, crash == nil {
            throw Failure(
                .doesNotFit,
                "\(name): this build's reducers run through action \(Quantities.grouped(fatal)), in which the process ended, so"
                    + " it is not known on what the crash depends.",
                "Use the build that crashed, or scrub the part before it: cut FILE start \(fatal - 1) -o PART."
            )
        }
        reference = crash?.site
    }
}
