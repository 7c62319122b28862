/// A part of a file that cannot be used, and what is known about its events.
package struct LostPart: Equatable, Sendable {
  package enum Events: Equatable, Sendable {
    /// Stated by the index, or by a block header with a correct checksum.
    case exactly(UInt64)
    /// As many as the bytes can hold. `stated`: the number in the header of the block that seems to be there.
    case atMost(UInt64, stated: UInt64?)
    /// The file ends before its index, so nothing is known about what followed.
    case unknown
  }

  package var bytes: Range<UInt64>
  /// The number of the block, as in errors.
  package var block: Int
  package var error: TraceFormatError
  /// Nil = not known, or the part belongs to no thread.
  package var thread: UInt32?
  package var events: Events
  /// A lower bound for the times of the lost events, in units, for threads that have other blocks.
  package var earliest: UInt64
  /// An upper bound for their times; nil = not known.
  package var latest: UInt64?
}

/// The sum of everything in a file that cannot be used.
package struct Loss: Equatable, Sendable {
  package var parts = 0
  /// The number of bytes of the file.
  package var bytes: UInt64 = 0
  /// The number of events known to be lost.
  package var events: UInt64 = 0
  /// The maximum number of further lost events; nil = not known.
  package var more: UInt64? = 0

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
  package var description: String {
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
  package var description: String {
    switch self {
    case .exactly(1): "1 event"
    case .exactly(let count): "\(count) events"
    case .atMost(let count, nil): "\(count) events at most"
    case .atMost(let count, let stated?):
      "\(count) events at most (\(stated) according to what is left of its header)"
    case .unknown: "an unknown number of events"
    }
  }
}
