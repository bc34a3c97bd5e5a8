import Foundation

extension Initialization {
    /// Writes the new files, and the targets into the manifest.
    ///
    /// - Returns: The lines to print. If the manifest's list of targets is not found, they end with the targets to paste.
    /// - Throws: ``InitFailure`` if a file exists, before anything is written, and Foundation's errors.
    func write(into package: URL) throws -> [String] {
        if let file = files.first(where: {
            FileManager.default.fileExists(atPath: package.appending(path: $0.path).path)
        }) {
            throw InitFailure(.badFile, "\(file.path) exists.", "Remove it, or choose other names: --app NAME.")
        }
        let place = package.appending(path: "Package.swift")
        let manifest = ManifestText(try String(contentsOf: place, encoding: .utf8))
        for file in files {
            let url = package.appending(path: file.path)
            try FileManager.default.createDirectory(
                at: url.deletingLastPathComponent(),
                withIntermediateDirectories: true
            )
            try Data(file.text.utf8).write(to: url)
        }
        let edited = manifest.adding(targets: targets)
        if let edited { try Data(edited.bytes).write(to: place, options: .atomic) }
        var lines = ["Created:"] + files.map { "  \($0.path)" }
        if edited == nil {
            lines += ["", "Package.swift has no list of targets that init can extend. Add these to it:", ""]
            lines += targets.map { $0 + "," }
        } else {
            lines[0] = "Added \(targets.count) targets to Package.swift, and created:"
        }
        return lines + advice(hasPlatforms: manifest.hasArgument("platforms"))
    }

    private func advice(hasPlatforms: Bool) -> [String] {
        let session = "Tests/\(names.tests)/Fixtures/first.hindsight"
        let actions = isSample ? "echo '{\"add\":{\"amount\":2}}' |" : "cat actions.jsonl |"
        var lines = [""]
        if !hasPlatforms {
            lines += [
                "On Apple's systems, Hindsight needs, in Package.swift:", "  platforms: [.macOS(.v15), .iOS(.v18)],",
                "",
            ]
        }
        if isSample {
            lines += ["No library declared an app, so the tool runs a sample: replace it in \(files[0].path).", ""]
        }
        return lines + [
            "Record a first session, and test that it replays:",
            "  \(actions) swift run \(names.tool) record --app \(app.name ?? "NAME") \(session)",
            "  swift package hindsight verify Tests/\(names.tests)/Fixtures",
            "  swift test",
        ]
    }
}
