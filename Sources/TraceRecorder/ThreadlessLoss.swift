/// Events that were lost of threads without a ring, or of unknown threads: a thread of their own has them.
final class ThreadlessLoss {
  let name: String
  var untold: UInt64 = 0
  var thread: UInt32?

  init(_ name: String) { self.name = name }
}
