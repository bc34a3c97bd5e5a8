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

    @Test func `A process closes the descriptors that it opened, whether or not a fork would`() throws {
        #expect(ForkedDescriptors.release(nil))
        let descriptor = dup(STDERR_FILENO)
        try #require(descriptor >= 0)
        defer { _ = close(descriptor) }
        let slots = try (0..<3).map { _ in try #require(ForkedDescriptors.closing(descriptor)) }
        for slot in slots { #expect(ForkedDescriptors.release(slot)) }
    }
}
