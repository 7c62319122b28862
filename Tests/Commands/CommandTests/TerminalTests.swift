#if os(Linux)
import Foundation
import Glibc
import TestSupport
import Testing

/// The output of commands on a terminal.
@Suite struct TerminalTests {
  // From <asm-generic/ioctls.h>. Glibc's module leaves out posix_openpt() and similar functions.
  private static let unlock: UInt = 0x4004_5431
  private static let number: UInt = 0x8004_5430

  /// Returns the output of a command whose standard output is a terminal.
  private func onTerminal(_ arguments: [String]) throws -> String {
    let leader = open("/dev/ptmx", O_RDWR | O_NOCTTY)
    var locked: Int32 = 0
    var number: UInt32 = 0
    try #require(leader >= 0 && ioctl(leader, Self.unlock, &locked) == 0)
    try #require(ioctl(leader, Self.number, &number) == 0)
    let follower = open("/dev/pts/\(number)", O_RDWR | O_NOCTTY)
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
    return String(decoding: bytes.filter { $0 != UInt8(ascii: "\r") }, as: UTF8.self)
  }

  @Test func aTerminalGetsTheBriefReport() throws {
    let sample = SampleTraces.virtual("five-causes")
    let brief = try onTerminal(["analyze", sample])
    #expect(
      brief.contains("Verdict: error RL002, ") && brief.contains("\nNext\n") && !brief.contains("\nModes\n")
    )
    #expect(brief.split(separator: "\n", omittingEmptySubsequences: false).count <= 40, "\(brief)")
    let full = try onTerminal(["analyze", sample, "--full"])
    #expect(full.contains("\nModes\n") && !full.contains("\nNext\n"))
  }
}
#endif
