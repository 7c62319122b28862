/// The code that a trace refers to: the images of the process, and the addresses of its stacks and named callouts.
public struct RecordedCode: Sendable {
  /// In the order of blocks. Where their files would lie is not in a trace: `bias` is where the image begins.
  public private(set) var images: [MappedImage] = []
  /// Each once, in the order of blocks.
  public private(set) var addresses: [StackAddress] = []
  /// Images and addresses that were beyond the limits.
  public private(set) var ignored = 0
  private var known: Set<StackAddress> = []

  /// Decodes all events, or those of `threads`. Of a trace that is not whole it takes what can be read, and the reader's
  /// `problem` says what is wrong; throws when reading fails.
  public init(
    _ reader: TraceReader, of threads: Set<UInt32>? = nil, progress: ((Double) -> Void)? = nil
  ) throws(TraceFormatError) {
    try reader.forEachReadableBlock(of: threads, progress: progress) { events in
      for arguments in events.arguments(of: .imageMap) { add(image: arguments, reader) }
      for (kind, firstFrame) in StackAddress.firstFrame {
        for arguments in events.arguments(of: kind) { add(frames: arguments.dropFirst(firstFrame)) }
      }
    }
  }

  private mutating func add(image arguments: [UInt64], _ reader: TraceReader) {
    guard let image = MappedImage(arguments, reader) else { return }
    if images.count < ReadingLimits.images { images.append(image) } else { ignored += 1 }
  }

  private mutating func add(frames: ArraySlice<UInt64>) {
    for address in StackAddress.stack(frames) where address.lookup != 0 && known.insert(address).inserted {
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
