/// A stretch of a file that cannot be used, and what is known of the events that were in it.
public struct LostPart: Equatable, Sendable {
  public enum Events: Equatable, Sendable {
    /// The index says it, or a block header whose checksum is right.
    case exactly(UInt64)
    /// As many as the bytes can hold. `stated`: by the header of the block that seems to stand there.
    case atMost(UInt64, stated: UInt64?)
    /// The file ends before its index: nobody knows what came behind.
    case unknown
  }

  public var bytes: Range<UInt64>
  /// Number of the block, as errors have it.
  public var block: Int
  public var error: TraceFormatError
  /// Nil = not known, or of no thread.
  public var thread: UInt32?
  public var events: Events
  /// No lost event of a thread that other blocks are of, too, is earlier, in units.
  public var earliest: UInt64
  /// None of them is later; nil = nobody knows.
  public var latest: UInt64?
}

/// What cannot be used of a file, in one.
public struct Loss: Equatable, Sendable {
  public var parts = 0
  /// Of the file.
  public var bytes: UInt64 = 0
  /// That are known to be lost.
  public var events: UInt64 = 0
  /// More may be, up to so many; nil = nobody knows how many.
  public var more: UInt64? = 0

  init(_ parts: [LostPart]) {
    self.parts = parts.count
    for part in parts {
      bytes &+= part.bytes.upperBound - part.bytes.lowerBound
      switch part.events {
      case .exactly(let count): events &+= count
      case .atMost(let count, _): more = more.map { $0 &+ count }
      case .unknown: more = nil
      }
    }
  }

}

extension Loss: CustomStringConvertible {
  public var description: String {
    guard parts > 0 else { return "nothing is lost" }
    let what = "\(bytes) bytes in \(parts) \(parts == 1 ? "place" : "places") were not used"
    let known = "\(events) \(events == 1 ? "event" : "events")"
    return switch more {
    case 0?: "\(what), \(known) lost"
    case let more? where events == 0: "\(what), at most \(more) events lost"
    case let more?: "\(what), \(known) and at most \(more) more lost"
    case nil where events == 0: "\(what), an unknown number of events lost"
    case nil: "\(what), \(known) and an unknown number of others lost"
    }
  }
}

extension LostPart.Events: CustomStringConvertible {
  public var description: String {
    switch self {
    case .exactly(1): "1 event"
    case .exactly(let count): "\(count) events"
    case .atMost(let count, nil): "\(count) events at most"
    case .atMost(let count, let stated?): "\(count) events at most (\(stated) by what is left of its header)"
    case .unknown: "an unknown number of events"
    }
  }
}
