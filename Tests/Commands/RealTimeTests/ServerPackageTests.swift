import Foundation
import TestSupport
import Testing

/// A server of SwiftNIO, whose main actor has no run loop. Only long runs have the minutes to build SwiftNIO; in others,
/// `MainQueueWithoutLoopTests` tests the same with programs of this package.
@Suite(.ownThread) struct ServerPackageTests {
  private static let fixture = FixturePackage("ServerPackage")

  @Test(.enabled(if: TestRounds.isLong && fixture.canFetch, "needs a long run and SwiftNIO"))
  func aRequestThatBlocksTheMainQueue() throws {
    try Self.fixture.build()
    let folder = try TemporaryFolder()
    let client = """
      import socket, sys
      connection = socket.create_connection(("127.0.0.1", int(input())))
      for _ in range(7):
          connection.sendall(b"request")
          assert connection.recv(100) == b"request"
      """
    let run = try Program(
      shell: """
        mkfifo port
        python3 -c "$2" <port & client=$!
        "$0" record -q -o server.rltrace -- "$1" >port && wait $client
        """
    ).run([Program.rltrace.path, Self.fixture.product("Server"), client], folder: folder.path)
    try #require(run.status == 0, "\(run)")
    let analysis = try Program.rltrace.run(["analyze", folder.file("server.rltrace"), "--brief"])
    #expect(analysis.status == 0, "\(analysis)")
    for text in ["the main queue hangs", "in Server.handle() Server.swift:"] {
      #expect(analysis.output.contains(text), "\(analysis.output)")
    }
  }
}
