import Foundation
import Testing

@testable import HindsightSupport

@Suite struct OperatingSystemTests {
    @Test func `The system is described as uname describes it`() throws {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["uname", "-srm"]
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        #expect(OperatingSystem.description + "\n" == text)
    }
}
