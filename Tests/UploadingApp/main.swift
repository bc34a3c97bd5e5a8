// Sends the runs of a directory to a receiver, and prints what happened.
//
//     UploadingApp DIRECTORY RECEIVER TOKEN [--keep] [--crashed-only] [--tries N]
//     UploadingApp DIRECTORY RECEIVER TOKEN --background

import Foundation
import HindsightUpload

let arguments = CommandLine.arguments
guard arguments.count >= 4, let receiver = URL(string: arguments[2]) else {
    print("UploadingApp DIRECTORY RECEIVER TOKEN [--keep] [--crashed-only] [--tries N]")
    exit(2)
}
/// What the page "From nothing to a fleet's first crash group" shows.
func startUploads(of runs: URL, to receiver: URL, with token: String) -> RecordingUploader {
    var options = UploadOptions()
    options.decide = { !$0.wasClosed || Int.random(in: 0..<10) == 0 ? .upload : .never }
    let uploader = RecordingUploader(of: runs, to: receiver, token: token, options: options)
    uploader.start()
    return uploader
}

let runs = URL(filePath: arguments[1])
if arguments.contains("--background") {
    // An app that has something else to do until its recordings are sent.
    let uploader = startUploads(of: runs, to: receiver, with: arguments[3])
    for _ in 0..<1200 {
        let names = try FileManager.default.contentsOfDirectory(atPath: runs.path)
        if !names.contains(where: { $0.hasSuffix(".hindsight") }) { exit(0) }
        try await Task.sleep(for: .milliseconds(100))
    }
    uploader.stop()
    exit(1)
}
var options = UploadOptions()
options.deletesUploaded = !arguments.contains("--keep")
if arguments.contains("--crashed-only") { options.decide = { $0.wasClosed ? .never : .upload } }
options.report = { event in
    switch event {
    case .uploaded(let url, let outcome, let id): print(outcome, id, url.lastPathComponent)
    case .refused(let url, let reason): print("refused", url.lastPathComponent, reason)
    case .failed(let error): print("failed", error.code.rawValue, error)
    }
}
let tries = arguments.firstIndex(of: "--tries").flatMap { Int(arguments[$0 + 1]) } ?? 1
let uploader = RecordingUploader(of: runs, to: receiver, token: arguments[3], options: options)
for _ in 0..<tries {
    if await uploader.upload() { exit(0) }
    try await Task.sleep(for: .milliseconds(200))
}
exit(1)
