#if os(Linux)
import Foundation
import Glibc
import TestSupport
import Testing

/// The output of commands on a terminal.
@Suite struct TerminalTests {
  /// Returns the output of a command whose standard output is a terminal.
  private func onTerminal(_ arguments: [String]) throws -> String {
    let leader = posix_openpt(O_RDWR | O_NOCTTY)
    try #require(leader >= 0 && grantpt(leader) == 0 && unlockpt(leader) == 0)
    let follower = open(String(cString: ptsname(leader)), O_RDWR | O_NOCTTY)
    try #require(follower >= 0)
    defer { close(leader) }
    let process = Process()
    process.executableURL = URL(fileURLWithPath: Program.rltrace.path)
    process.arguments = arguments
    process.environment = ["TERM": "dumb"]
    process.standardOutput = FileHandle(fileDescriptor: follower, closeOnDealloc: false)
    process.standardError = FileHandle.nullDevice
    try process.run()
    close(follower)
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4096)
    // Reading fails when no process has the other end open.
    while case let count = read(leader, &buffer, buffer.count), count > 0 { bytes += buffer[..<count] }
    process.waitUntilExit()
    #expect(process.terminationStatus == 0)
    return String(decoding: bytes, as: UTF8.self).filter { $0 != "\r" }.replacing("\r\n", with: "\n")
  }

  @Test func aTerminalGetsTheBriefReport() throws {
    let sample = SampleTraces.virtual("five-causes")
    let brief = try onTerminal(["analyze", sample])
    #expect(
      brief.contains("Verdict: warning RL002, ") && brief.contains("\nNext\n") && !brief.contains("\nModes\n")
    )
    #expect(brief.split(separator: "\n", omittingEmptySubsequences: false).count <= 40, "\(brief)")
    let full = try onTerminal(["analyze", sample, "--full"])
    #expect(full.contains("\nModes\n") && !full.contains("\nNext\n"))
  }
}
#endif
