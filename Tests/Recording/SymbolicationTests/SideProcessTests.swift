import Foundation
@testable import Symbolication
import Testing

@Suite struct SideProcessTests {
  /// A copy of the process does not keep its files open: a reader sees the end when the process closes its
  /// descriptor.
  @Test func aCopyKeepsNothingOpen() throws {
    var ends: [Int32] = [-1, -1]
    try #require(pipe(&ends) == 0)
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    let copies = try (0..<2).map { _ in
      try SideProcess.copy { socket in
        var byte: UInt8 = 0
        _ = read(socket, &byte, 1)
      }
    }
    close(ends[1])
    var state = pollfd(fd: ends[0], events: Int16(POLLIN), revents: 0)
    #expect(poll(&state, 1, 10_000) == 1)
    withExtendedLifetime(copies) {}
    close(ends[0])
  }
}
