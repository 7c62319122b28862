import SystemSupport

/// The signals that a process handles, ignores or blocks. Any other signal has its default effect, which in most
/// cases ends the process.
struct ExpectedSignals {
  private var mask: UInt64 = 0

  /// Reads the signals of a process. Returns nil if the system does not report them.
  init?(of process: Int32) {
    guard process > 0, let file = unsafe fopen("/proc/\(process)/status", "re") else { return nil }
    defer { unsafe fclose(file) }
    var found = 0
    var line = [CChar](repeating: 0, count: 256)
    while unsafe fgets(&line, Int32(line.count), file) != nil {
      let text = unsafe line.withUnsafeBufferPointer { unsafe String(cString: $0.baseAddress!) }
      let fields = text.split { $0 == ":" || $0.isWhitespace }
      guard fields.count == 2, ["SigBlk", "SigIgn", "SigCgt"].contains(fields[0]),
        let signals = UInt64(fields[1], radix: 16)
      else { continue }
      mask |= signals
      found += 1
    }
    guard found == 3 else { return nil }
  }

  // fits: the number is checked first
  func contains(_ number: Int32) -> Bool { (1...64).contains(number) && mask >> UInt64(number - 1) & 1 == 1 }
}
