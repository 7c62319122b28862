import Foundation

/// The user at the other end of a TCP connection on 127.0.0.1. Linux lists the owner of each socket in /proc/net.
enum PeerOfSocket {
  /// Returns whether the peer of a connection to `port` belongs to another user, or cannot be found. Without /proc, no
  /// user can be told apart; but then no user sees the arguments of other programs either.
  static func isOther(_ socket: Int32, port: UInt16) -> Bool {
    #if os(Linux)
    var address = sockaddr_in()
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isKnown = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getpeername(socket, $0, &length) == 0 }
    }
    guard isKnown else { return true }
    // Each number of an address is printed as the processor stores it.
    let loopback = UInt32(0x7F00_0001).bigEndian
    let ends = [(address.sin_addr.s_addr, UInt16(bigEndian: address.sin_port)), (loopback, port)].map { end in
      String(format: "%08X:%04X", end.0, Int32(end.1))
    }
    let prefix = String(format: "%08X%08X%08X", 0, 0, UInt32(0xFFFF).bigEndian)
    var isListed = false
    // A browser may use an IPv6 socket with an IPv4 address.
    for (file, prefix) in [("/proc/net/tcp", ""), ("/proc/net/tcp6", prefix)] {
      guard let text = try? String(contentsOfFile: file, encoding: .utf8) else { continue }
      isListed = true
      for line in text.split(separator: "\n").dropFirst() {
        let words = line.split(separator: " ")
        guard words.count > 7, words[1] == prefix + ends[0], words[2] == prefix + ends[1] else { continue }
        return UInt32(words[7]) != getuid()
      }
    }
    return isListed
    #else
    return false
    #endif
  }
}
