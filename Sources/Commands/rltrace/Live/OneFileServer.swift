import CRLTraceShims
import Foundation
import SystemPackage
import TraceFormat

/// Serves one file on 127.0.0.1 to one web page, and then ends.
///
/// Only the page at `origin` may read it. Browsers check that permission (CORS), and the path has a random part.
/// Requests for another host name are refused, because a hostile page can make its own name resolve to 127.0.0.1.
/// Other users can see the path among the arguments of the browser, so connections of their programs are closed.
final class OneFileServer {
  private let listener: Int32
  private let port: UInt16
  private let origin: String
  private let path = "/\(OtherProgram.randomName())/trace"

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
          || getsockname(listener, address, &length) != 0 || !OneFileServer.doesNotBlock(listener)
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

  /// Answers requests until the whole file has been sent, then returns true. Returns false after `forNs` nanoseconds,
  /// whatever clients do.
  func serve(_ file: [UInt8], forNs limit: UInt64) -> Bool {
    let sum = rlt_monotonic_ns().addingReportingOverflow(limit)
    let end = sum.overflow ? .max : sum.partialValue
    var clients: [Client] = []
    defer { for client in clients { close(client.socket) } }
    while case let now = rlt_monotonic_ns(), now < end {
      clients = clients.filter { client in
        if client.end > now { return true }
        close(client.socket)
        return false
      }
      let next = clients.reduce(end) { min($0, $1.end) }
      // Without a free place, new clients wait in the queue of the listener.
      let accepts = clients.count < Self.clients
      var sockets = clients.map { pollfd(fd: $0.socket, events: Int16(POLLIN), revents: 0) }
      if accepts { sockets.append(pollfd(fd: listener, events: Int16(POLLIN), revents: 0)) }
      guard poll(&sockets, nfds_t(sockets.count), Self.milliseconds(from: now, to: next)) > 0 else {
        continue
      }
      var open: [Client] = []
      for (place, client) in clients.enumerated() {
        guard sockets[place].revents != 0 else {
          open.append(client)
          continue
        }
        var client = client
        if client.read() {
          if let request = client.request, answer(client.socket, request, file, until: end) { return true }
          close(client.socket)
        } else {
          open.append(client)
        }
      }
      clients = open
      if accepts, sockets[sockets.count - 1].revents != 0 {
        let client = accept(listener, nil, nil)
        guard client >= 0 else { continue }
        if PeerOfSocket.isOther(client, port: port) || !Self.doesNotBlock(client) {
          close(client)
        } else {
          clients.append(Client(socket: client, end: rlt_monotonic_ns() &+ Self.patienceNs))
        }
      }
    }
    return false
  }

  /// How long a client may take for its request, and without receiving a part of the answer.
  private static let patienceNs: UInt64 = 5_000_000_000
  /// The number of clients that are served at once.
  private static let clients = 64

  private static func doesNotBlock(_ socket: Int32) -> Bool {
    fcntl(socket, F_SETFL, fcntl(socket, F_GETFL) | O_NONBLOCK) == 0
  }

  /// Returns the time until `end` in milliseconds, rounded up, for `poll`.
  private static func milliseconds(from now: UInt64, to end: UInt64) -> Int32 {
    Int32(clamping: min(end > now ? (end - now) / 1_000_000 : 0, 1_000_000)) + 1
  }

  /// Answers one request. Returns whether the whole file was sent.
  private func answer(_ client: Int32, _ request: Request, _ file: [UInt8], until end: UInt64) -> Bool {
    func send(_ bytes: some Collection<UInt8>) -> Bool { Self.send(client, Array(bytes), until: end) }
    let allowed =
      "Access-Control-Allow-Origin: \(origin)\r\nAccess-Control-Allow-Private-Network: true\r\nVary: Origin\r\n"
    guard request.host == "127.0.0.1:\(port)", request.path == path else {
      _ = send("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n".utf8)
      return false
    }
    switch request.method {
    case "OPTIONS":
      let head =
        "HTTP/1.1 204 No Content\r\n\(allowed)Access-Control-Allow-Methods: GET\r\nConnection: close\r\n\r\n"
      _ = send(head.utf8)
      return false
    case "GET", "HEAD":
      let head =
        "HTTP/1.1 200 OK\r\n\(allowed)Content-Type: application/octet-stream\r\nContent-Length: \(file.count)\r\n"
        + "Cache-Control: no-store\r\nConnection: close\r\n\r\n"
      return send(head.utf8) && request.method == "GET" && Self.send(client, file, until: end)
    default:
      _ = send("HTTP/1.1 405 Method Not Allowed\r\nContent-Length: 0\r\nConnection: close\r\n\r\n".utf8)
      return false
    }
  }

  private static func send(_ client: Int32, _ bytes: [UInt8], until end: UInt64) -> Bool {
    var sent = 0
    var patience = rlt_monotonic_ns() &+ patienceNs
    while sent < bytes.count {
      let count = bytes.withUnsafeBytes {
        write(client, $0.baseAddress.map { $0 + sent }, bytes.count - sent)
      }
      if count > 0 {
        sent += count
        patience = rlt_monotonic_ns() &+ patienceNs
        continue
      }
      guard count < 0, errno == EINTR || errno == EAGAIN else { return false }
      let (now, last) = (rlt_monotonic_ns(), min(patience, end))
      guard now < last else { return false }
      var socket = pollfd(fd: client, events: Int16(POLLOUT), revents: 0)
      _ = poll(&socket, 1, milliseconds(from: now, to: last))
    }
    return true
  }

  /// A client that has not sent its whole request.
  private struct Client {
    private static let limit = 16_384
    let socket: Int32
    let end: UInt64
    private var bytes: [UInt8] = []

    init(socket: Int32, end: UInt64) { (self.socket, self.end) = (socket, end) }

    /// Reads what has come. Returns true if nothing more is to be read.
    mutating func read() -> Bool {
      var part = [UInt8](repeating: 0, count: 4096)
      let count = recv(socket, &part, part.count, 0)
      if count < 0, errno == EAGAIN || errno == EINTR { return false }
      guard count > 0, bytes.count + count <= Self.limit else {
        bytes = []
        return true
      }
      bytes += part.prefix(count)
      return isWhole
    }

    private var isWhole: Bool { bytes.suffix(4).elementsEqual("\r\n\r\n".utf8) }

    /// The request; nil if the client sent none of a reasonable length.
    var request: Request? { isWhole ? Request(bytes) : nil }
  }

  /// The parts of a request that matter.
  private struct Request {
    var method = ""
    var path = ""
    var host = ""

    init?(_ bytes: [UInt8]) {
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
