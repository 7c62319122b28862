/// The code that a trace speaks of: the images of the process, and the addresses of its stacks.
public struct RecordedCode: Sendable {
  /// In the order of blocks. Where their files would lie is not in a trace: `bias` is where the image begins.
  public private(set) var images: [MappedImage] = []
  /// Each once, in the order in which stacks name them.
  public private(set) var addresses: [StackAddress] = []
  public private(set) var stacks = 0
  /// Images and addresses that were beyond the limits.
  public private(set) var ignored = 0
  private var known: Set<StackAddress> = []

  /// Decodes all events. Of a trace that is not whole it takes what can be read, and the reader's `problem` says what is
  /// wrong; throws when reading fails.
  public init(_ reader: TraceReader, progress: ((Double) -> Void)? = nil) throws(TraceFormatError) {
    try reader.forEachReadableBlock(progress: progress) { events in
      for arguments in events.arguments(of: .imageMap) { add(image: arguments, reader) }
      for kind in [EventKind.stack, .threadStack] {
        for arguments in events.arguments(of: kind) {
          add(stack: arguments.dropFirst(StackAddress.firstFrame(of: kind) ?? 0))
        }
      }
    }
  }

  private mutating func add(image arguments: [UInt64], _ reader: TraceReader) {
    guard arguments.count >= 3, arguments[2] > 0 else { return }
    let (end, isBeyond) = arguments[1].addingReportingOverflow(arguments[2])
    guard images.count < ReadingLimits.images else {
      ignored += 1
      return
    }
    images.append(
      MappedImage(
        path: reader.text(arguments[0]) ?? "", bias: arguments[1],
        range: arguments[1]..<(isBeyond ? .max : end),
        buildID: MappedImage.buildID(arguments.count > 3 ? reader.text(arguments[3]) ?? "" : "")))
  }

  private mutating func add(stack frames: ArraySlice<UInt64>) {
    stacks += 1
    for address in StackAddress.stack(frames) where known.insert(address).inserted {
      guard addresses.count < ReadingLimits.addresses else {
        known.remove(address)
        ignored += 1
        return
      }
      addresses.append(address)
    }
  }
}

extension MappedImage {
  /// A build id as it is written: pairs of hexadecimal digits, as a UUID perhaps with hyphens. Empty for anything else.
  public static func buildID(_ text: String) -> [UInt8] {
    TextForm.bytes(hex: Substring(text.split(separator: "-").joined())) ?? []
  }
}

extension DecodedEvents {
  /// The arguments of each event of a kind, in order.
  func arguments(of kind: EventKind) -> [[UInt64]] {
    guard hasArguments(kind: kind.rawValue) else { return [] }
    let ofKind = (0..<count).count { kinds[$0] == kind.rawValue }
    return (0..<ofKind).map { arguments(kind: kind.rawValue, ordinal: $0) }
  }
}

extension TraceReader {
  /// The text of a string argument; nil for none.
  func text(_ argument: UInt64) -> String? { UInt32(exactly: argument).flatMap { strings[$0] } }
}
