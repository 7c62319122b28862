// ClientProgram [healthy]: sends 200 requests to a server of its own, 10 ms apart. The callback of one answer blocks the
// event loop of the client for 200 ms, unless the program is healthy.
import AsyncHTTPClient
import Blocking
import Foundation
import NIOCore
import NIOPosix

func run(isHealthy: Bool) throws {
  let servers = MultiThreadedEventLoopGroup(numberOfThreads: 1)
  let clients = MultiThreadedEventLoopGroup(numberOfThreads: 1)
  let server = try startServer(on: servers, port: 0)
  let client = HTTPClient(eventLoopGroupProvider: .shared(clients))
  let url = "http://127.0.0.1:\(server.localAddress?.port ?? 0)/fast"
  for request in 0..<200 {
    let isBlocking = request == 100 && !isHealthy
    let answer = client.get(url: url).map { response -> String in
      isBlocking ? sleepInHandler() : "\(response.status.code)"
    }
    _ = try answer.wait()
    Thread.sleep(forTimeInterval: 0.01)
  }
  try client.syncShutdown()
  try server.close().wait()
  try clients.syncShutdownGracefully()
  try servers.syncShutdownGracefully()
}

try run(isHealthy: CommandLine.arguments.contains("healthy"))
