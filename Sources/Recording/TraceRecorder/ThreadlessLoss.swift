/// Lost events of threads without a ring or of unknown threads. The trace has a separate thread for them.
final class ThreadlessLoss {
  let name: String
  var unwritten: UInt64 = 0
  var thread: UInt32?

  init(_ name: String) { self.name = name }
}
