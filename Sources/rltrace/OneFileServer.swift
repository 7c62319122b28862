import Foundation
import SystemPackage
import TraceFormat

/// Serves one file on 127.0.0.1 to one web page, and then ends.
///
/// Only the page at `origin` may read it. Browsers check that permission (CORS), and the path has a random part.
/// Requests for another host name are refused, because a hostile page can make its own name resolve to 127.0.0.1.
final class OneFileServer {
  private let listener: Int32
  private let port: UInt16
  private let origin: String
  private let path = "/\(OneFileServer.secret())/trace"

  /// Returns a random name.
  static func secret() -> String { String(UInt64.random(in: .min ... .max), radix: 36) }

  var url: String { "http://127.0.0.1:\(port)\(path)" }

  /// Listens on a port; nil = any free one. Throws `Errno`.
  init(port: UInt16?, origin: String) throws {
    self.origin = origin
    #if os(Linux)
    let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    #else
    let listener = socket(AF_INET, SOCK_STREAM, 0)
    #endif
    guard listener >= 0 else { throw Errno(rawValue: errno) }
    var yes: Int32 = 1
    setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = (port ?? 0).bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let result = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        bind(listener, address, length) != 0 || listen(listener, 8) != 0
          || getsockname(listener, address, &length) != 0
      }
    }
    guard !result else {
      let error = Errno(rawValue: errno)
      close(listener)
      throw error
    }
    self.listener = listener
    self.port = UInt16(bigEndian: address.sin_port)
  }

  deinit { close(listener) }

  /// Answers requests until the whole file has been sent, then returns true. Returns false after `forNs` nanoseconds.
  func serve(_ file: [UInt8], forNs limit: UInt64) throws -> Bool {
    let end = Self.nowNs().addingReportingOverflow(limit)
    while case let now = Self.nowNs(), now < end.partialValue || end.overflow {
      var waiting = pollfd(fd: listener, events: Int16(POLLIN), revents: 0)
      let restMs = (end.partialValue &- now) / 1_000_000
      guard poll(&waiting, 1, Int32(min(restMs, 1_000_000)) + 1) > 0 else { continue }
      let connection = accept(listener, nil, nil)
      guard connection >= 0 else { continue }
      defer { close(connection) }
      // A client that sends nothing does not block the others for long.
      var patience = timeval(tv_sec: 5, tv_usec: 0)
      setsockopt(connection, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
      setsockopt(connection, SOL_SOCKET, SO_SNDTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
      if answer(connection, file) { return true }
    }
    return false
  }

  private static func nowNs() -> UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
  }

  /// Answers one request. Returns whether the whole file was sent.
  private func answer(_ connection: Int32, _ file: [UInt8]) -> Bool {
    guard let request = Request(from: connection) else { return false }
    let allowed =
      "Access-Control-Allow-Origin: \(origin)\r\nAccess-Control-Allow-Private-Network: true\r\nVary: Origin\r\n"
    guard request.host == "127.0.0.1:\(port)", request.path == path else {
      _ = send(connection, "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n".utf8)
      return false
    }
    switch request.method {
    case "OPTIONS":
      let head =
        "HTTP/1.1 204 No Content\r\n\(allowed)Access-Control-Allow-Methods: GET\r\nConnection: close\r\n\r\n"
      _ = send(connection, head.utf8)
      return false
    case "GET", "HEAD":
      let head =
        "HTTP/1.1 200 OK\r\n\(allowed)Content-Type: application/octet-stream\r\nContent-Length: \(file.count)\r\n"
        + "Cache-Control: no-store\r\nConnection: close\r\n\r\n"
      return send(connection, head.utf8) && request.method == "GET" && send(connection, file)
    default:
      _ = send(
        connection, "HTTP/1.1 405 Method Not Allowed\r\nContent-Length: 0\r\nConnection: close\r\n\r\n".utf8)
      return false
    }
  }

  private func send(_ connection: Int32, _ bytes: some Collection<UInt8>) -> Bool {
    let bytes = Array(bytes)
    var sent = 0
    while sent < bytes.count {
      let count = bytes.withUnsafeBytes {
        write(connection, $0.baseAddress.map { $0 + sent }, bytes.count - sent)
      }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return false }
      sent += count
    }
    return true
  }

  /// The parts of a request that matter.
  private struct Request {
    private static let limit = 16_384
    var method = ""
    var path = ""
    var host = ""

    /// Reads up to the empty line. Nil = the client sent no request of a reasonable length.
    init?(from connection: Int32) {
      var bytes: [UInt8] = []
      var part = [UInt8](repeating: 0, count: 4096)
      while !bytes.suffix(4).elementsEqual("\r\n\r\n".utf8) {
        let count = read(connection, &part, part.count)
        guard count > 0, bytes.count + count <= Self.limit else { return nil }
        bytes += part.prefix(count)
      }
      let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\r\n")
      let words = lines.first?.split(separator: " ") ?? []
      guard words.count == 3 else { return nil }
      (method, path) = (String(words[0]), String(words[1]))
      for line in lines.dropFirst() where line.lowercased().hasPrefix("host:") {
        host = line.dropFirst(5).filter { $0 != " " }
      }
    }
  }
}
