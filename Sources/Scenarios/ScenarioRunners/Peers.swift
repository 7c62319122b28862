import CRLTraceShims
import Foundation

/// A stream socket that other programs do not inherit. On Apple's systems, `spawn` closes what it does not pass on.
#if canImport(Darwin)
private let stream = SOCK_STREAM
#else
private let stream = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
#endif

/// Another process that answers after a delay. A request is the delay in nanoseconds, 8 bytes in native byte order.
/// The answer is the same bytes.
package final class PeerProcess {
  private let command: [String]
  private var socket: Int32 = -1
  private var process: pid_t = 0

  init(command: [String]) { self.command = command }

  /// Sends a request and waits for the answer. Returns false when there is no peer.
  func ask(_ ns: UInt64) -> Bool {
    if socket < 0 { start() }
    return socket >= 0 && exchange(socket, ns)
  }

  private func start() {
    var ends: [Int32] = [-1, -1]
    guard socketpair(AF_UNIX, stream, 0, &ends) == 0 else { return }
    process = spawn(command, input: ends[1], output: ends[1]) ?? 0
    close(ends[1])
    guard process > 0 else {
      close(ends[0])
      return
    }
    socket = ends[0]
  }

  func end() {
    guard socket >= 0 else { return }
    close(socket)
    socket = -1
    var status: Int32 = 0
    while waitpid(process, &status, 0) < 0, errno == EINTR {}
  }

  /// Runs the other side: answers on the standard streams until they end.
  package static func serve() { answer(from: 0, to: 1) }
}

/// A thread of this process that answers in the same way over a TCP connection of the loopback device.
final class LoopbackConnection {
  private var socket: Int32 = -1

  func ask(_ ns: UInt64) -> Bool {
    if socket < 0 { connect() }
    return socket >= 0 && exchange(socket, ns)
  }

  deinit { if socket >= 0 { close(socket) } }

  private func connect() {
    let listener = Foundation.socket(AF_INET, stream, 0)
    guard listener >= 0 else { return }
    defer { close(listener) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr = in_addr(s_addr: UInt32(0x7F00_0001).bigEndian)
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let client = Foundation.socket(AF_INET, stream, 0)
    let isConnected = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(listener, $0, size) == 0 && listen(listener, 1) == 0 && getsockname(listener, $0, &size) == 0
          && Foundation.connect(client, $0, size) == 0
      }
    }
    let server = isConnected ? accept(listener, nil, nil) : -1
    guard server >= 0 else {
      close(client)
      return
    }
    socket = client
    Thread.detachNewThread {
      rlt_name_thread("loopback server")
      answer(from: server, to: server)
      close(server)
    }
  }
}

private func exchange(_ socket: Int32, _ ns: UInt64) -> Bool {
  var request = ns, reply: UInt64 = 0
  return write(socket, &request, 8) == 8 && read(socket, &reply, 8) == 8 && reply == ns
}

private func answer(from input: Int32, to output: Int32) {
  var request: UInt64 = 0
  while read(input, &request, 8) == 8 {
    sleepFor(request)
    guard write(output, &request, 8) == 8 else { return }
  }
}
