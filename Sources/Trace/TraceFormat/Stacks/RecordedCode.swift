/// The code that a trace refers to: the images of the process, and the addresses of its stacks and named callouts.
package struct RecordedCode: Sendable {
  /// In the order of blocks. `bias` is the start of the image, because a trace does not hold the file's own
  /// addresses.
  package private(set) var images: [MappedImage] = []
  /// Each address once, in the order of blocks.
  package private(set) var addresses: [StackAddress] = []
  /// The number of images and addresses beyond the limits.
  package private(set) var ignored = 0
  private var known: Set<StackAddress> = []

  /// Decodes all events, or those of `threads`. Skips damaged blocks; the reader's `problem` then describes the
  /// damage. Throws when reading fails.
  package init(
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
  /// Parses a build id: pairs of hexadecimal digits, possibly with hyphens as in a UUID. Empty for anything else.
  package static func buildID(_ text: String) -> [UInt8] {
    TextForm.bytes(hex: Substring(text.split(separator: "-").joined())) ?? []
  }
}

extension DecodedEvents {
  /// Returns the arguments of each event of a kind, in order.
  func arguments(of kind: EventKind) -> [[UInt64]] {
    guard hasArguments(kind: kind.rawValue) else { return [] }
    let ofKind = (0..<count).count { kinds[$0] == kind.rawValue }
    return (0..<ofKind).map { arguments(kind: kind.rawValue, ordinal: $0) }
  }
}

extension TraceReader {
  /// Returns the text of a string argument; nil for none.
  func text(_ argument: UInt64) -> String? { UInt32(exactly: argument).flatMap { strings[$0] } }
}
