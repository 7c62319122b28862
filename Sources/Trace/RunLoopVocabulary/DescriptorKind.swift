/// The kind of a descriptor that a thread waits for in a system call.
package enum DescriptorKind: UInt64, Sendable, CaseIterable, Named {
  case unknown = 0
  case file = 1
  case pipe = 2
  /// A socket to a process on the same machine.
  case localSocket = 3
  case networkSocket = 4
  case other = 5

  package var name: String {
    switch self {
    case .unknown: "unknown"
    case .file: "file"
    case .pipe: "pipe"
    case .localSocket: "local_socket"
    case .networkSocket: "network_socket"
    case .other: "other"
    }
  }
}
