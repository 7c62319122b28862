/// The time unit of a trace, which the trace records.
public enum TimeUnit: UInt32, Sendable, Named {
  case ns1 = 1
  case ns10 = 10
  case ns100 = 100
  case us1 = 1000

  /// The length of the unit.
  public var nanoseconds: UInt64 { UInt64(rawValue) }

  /// Converts a time of the trace to nanoseconds; `UInt64.max` when the result exceeds 64 bits.
  public func nanoseconds(of units: UInt64) -> UInt64 {
    let (product, overflow) = units.multipliedReportingOverflow(by: nanoseconds)
    return overflow ? .max : product
  }
  package var name: String { self == .us1 ? "1us" : "\(rawValue)ns" }
}

/// How much of the loop's work a recording could observe. Each level but `imported` includes the one before.
public enum CaptureLevel: UInt8, Sendable, Named {
  /// Public observers: the six activities.
  case activities = 0
  /// Registered or interposed items, with due points and membership.
  case callouts = 1
  /// The same, with sampled stacks.
  case stacks = 2
  /// Runs, passes and waits of another tool's recording, without phases.
  case imported = 3

  /// Whether callouts and due points were observed.
  package var seesCallouts: Bool { self == .callouts || self == .stacks }
  /// Whether all activities of a pass were observed, not only waits.
  package var seesPhases: Bool { self != .imported }

  package var name: String {
    switch self {
    case .activities: "activities"
    case .callouts: "callouts"
    case .stacks: "callouts+stacks"
    case .imported: "imported"
    }
  }
}

/// The clock from which the stamps were read.
public enum ClockSource: UInt8, Sendable, Named {
  case monotonic = 0
  case cycleCounter = 1
  case virtual = 2
  case imported = 3

  package var name: String {
    switch self {
    case .monotonic: "monotonic"
    case .cycleCounter: "cycle-counter"
    case .virtual: "virtual"
    case .imported: "imported"
    }
  }
}

/// The first 32 bytes of a file.
public struct FileHeader: Equatable, Sendable {
  package static let byteCount = 32
  /// 0x89 detects 7-bit transfers; CR LF and the lone LF detect line-end conversion (as in PNG's signature).
  package static let magic: [UInt8] = [0x89, 0x52, 0x4C, 0x54, 0x0D, 0x0A, 0x1A, 0x0A]
  package static let major: UInt16 = 1
  package static let minor: UInt16 = 2
  /// The newest version that this reader knows, such as `1.2`.
  package static let version = "\(FileHeader.major).\(FileHeader.minor)"

  package var minor: UInt16
  /// The unit of all times in the trace.
  public var timeUnit: TimeUnit
  package var codec: CodecID
  /// The events that were recorded.
  public var captureLevel: CaptureLevel
  package var clock: ClockSource
  /// Whether activities carry both stamps, low and high.
  package var hasHighStamps: Bool

  package init(
    timeUnit: TimeUnit = .ns10, codec: CodecID, captureLevel: CaptureLevel, clock: ClockSource,
    hasHighStamps: Bool, minor: UInt16 = FileHeader.minor
  ) {
    self.timeUnit = timeUnit
    self.codec = codec
    self.captureLevel = captureLevel
    self.clock = clock
    self.hasHighStamps = hasHighStamps
    self.minor = minor
  }

  func encoded() -> [UInt8] {
    var out = ByteWriter()
    out.append(contentsOf: FileHeader.magic)
    out.appendInteger(FileHeader.major)
    out.appendInteger(minor)
    out.appendInteger(timeUnit.rawValue)
    out.append(codec.rawValue)
    out.append(captureLevel.rawValue)
    out.append(clock.rawValue)
    out.append(hasHighStamps ? 1 : 0)
    out.appendInteger(UInt32(0))
    let hash = out.bytes.withUnsafeBytes { XXHash64.hash($0) }
    out.appendInteger(hash)
    return out.bytes
  }

  /// Decodes the header of a file of `fileSize` bytes from its first bytes.
  init(_ bytes: UnsafeRawBufferPointer, fileSize: UInt64) throws(TraceFormatError) {
    guard fileSize > 0 else { throw .emptyFile }
    let seen = min(bytes.count, 8)
    guard zip(bytes.prefix(seen), FileHeader.magic).allSatisfy(==) else { throw .notATrace }
    guard bytes.count >= FileHeader.byteCount else { throw .truncated(offset: fileSize, block: nil) }
    let major = bytes.integer(at: 8, UInt16.self)
    let minor = bytes.integer(at: 10, UInt16.self)
    guard major == FileHeader.major else { throw .unsupportedVersion(major: major, minor: minor) }
    let hash = XXHash64.hash(UnsafeRawBufferPointer(rebasing: bytes[0..<24]))
    guard hash == bytes.integer(at: 24, UInt64.self) else {
      throw .damaged(offset: 0, block: nil, what: "the file header does not match its checksum")
    }
    guard let timeUnit = TimeUnit(rawValue: bytes.integer(at: 12, UInt32.self)) else {
      throw .damaged(offset: 12, block: nil, what: "unknown time unit")
    }
    guard let codec = CodecID(rawValue: bytes[16]) else {
      throw .codecMissing(offset: 16, block: nil, codec: bytes[16])
    }
    guard let level = CaptureLevel(rawValue: bytes[17]) else {
      throw .damaged(offset: 17, block: nil, what: "unknown capture level")
    }
    guard let clock = ClockSource(rawValue: bytes[18]) else {
      throw .damaged(offset: 18, block: nil, what: "unknown clock source")
    }
    self.init(
      timeUnit: timeUnit, codec: codec, captureLevel: level, clock: clock, hasHighStamps: bytes[19] & 1 != 0,
      minor: minor)
  }
}
