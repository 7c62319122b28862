import Dispatch
import Foundation

/// A small HTTP server on the main queue: one source for the listening socket, and one for each connection.
@MainActor final class Server {
  private let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
  private var sources: [Int32: any DispatchSourceRead] = [:]
  private var answered = 0

  /// Answers its own client, and ends.
  func serveOwnClient() async {
    let port = listen()
    let answers = await Task.detached { Client(port: port).ask(["/a", "/b", "/report", "/c"]) }.value
    print(answers.joined(separator: "\n"))
    print("answered \(answered)")
  }

  private func listen() -> UInt16 {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = inet_addr("127.0.0.1")
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        guard bind(listener, address, length) == 0, Glibc.listen(listener, 8) == 0 else {
          fatalError("no port")
        }
        getsockname(listener, address, &length)
      }
    }
    watch(listener) { [unowned self] in acceptConnection() }
    return UInt16(bigEndian: address.sin_port)
  }

  private func watch(_ descriptor: Int32, _ handler: @escaping @MainActor () -> Void) {
    let source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: .main)
    source.setEventHandler { MainActor.assumeIsolated(handler) }
    source.resume()
    sources[descriptor] = source
  }

  private func acceptConnection() {
    let connection = accept(listener, nil, nil)
    watch(connection) { [unowned self] in answerRequest(connection) }
  }

  private func answerRequest(_ connection: Int32) {
    var request = [UInt8](repeating: 0, count: 1024)
    let count = recv(connection, &request, request.count, 0)
    if count > 0 {
      let path =
        String(decoding: request[..<count], as: UTF8.self).split(separator: " ").dropFirst().first ?? ""
      let body = path == "/report" ? makeReport() : "page \(path)"
      let answer = Array("HTTP/1.1 200 OK\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)".utf8)
      _ = send(connection, answer, answer.count, 0)
      answered += 1
    }
    sources.removeValue(forKey: connection)?.cancel()
    close(connection)
  }

  /// Takes a long time and keeps all other connections waiting.
  @inline(never) private func makeReport() -> String {
    let end = ProcessInfo.processInfo.systemUptime + 0.4
    var lines = 0
    while ProcessInfo.processInfo.systemUptime < end { lines &+= 1 }
    return lines > 0 ? "report" : ""
  }
}

struct Client {
  let port: UInt16

  func ask(_ paths: [String]) -> [String] {
    paths.map { path in
      let connection = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
      defer { close(connection) }
      var address = sockaddr_in()
      address.sin_family = sa_family_t(AF_INET)
      address.sin_port = port.bigEndian
      address.sin_addr.s_addr = inet_addr("127.0.0.1")
      let isConnected = withUnsafePointer(to: &address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          connect(connection, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
        }
      }
      guard isConnected else { return "no connection" }
      let request = Array("GET \(path) HTTP/1.1\r\n\r\n".utf8)
      _ = send(connection, request, request.count, 0)
      var answer = [UInt8](repeating: 0, count: 1024)
      let count = recv(connection, &answer, answer.count, 0)
      return String(decoding: answer[..<max(count, 0)], as: UTF8.self).split(separator: "\r\n").last.map(
        String.init) ?? ""
    }
  }
}
