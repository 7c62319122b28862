import TraceFormat

/// Names for the code addresses of one trace, and an account of what has none.
public struct TraceNaming: Sendable {
  /// What `FrameNaming` writes.
  public private(set) var names: [(address: StackAddress, frames: [FrameName])] = []
  /// Addresses with names, new or old, and those of them with a line.
  public private(set) var named = 0
  public private(set) var withLines = 0
  /// Addresses without a name, by image and reason.
  public private(set) var unnamed: [String: Int] = [:]
  /// Images over which llvm-symbolizer failed.
  public private(set) var failedImages: Set<String> = []

  /// `known`: names that the trace has; those that say more than the new ones stay. The symbolizer begins with the
  /// images of `code`.
  public init(_ code: RecordedCode, known: FrameNames, _ symbolizer: StackSymbolizer) {
    symbolizer.beginProcess()
    for image in code.images { symbolizer.add(image, knowsBias: false) }
    let found = symbolizer.frames(of: code.addresses)
    for address in code.addresses { add(found[address] ?? [], address, known[address]) }
  }

  private mutating func add(_ frames: [SymbolizedFrame], _ address: StackAddress, _ known: [FrameName]) {
    for frame in frames where frame.missing == .lineReaderFailed { failedImages.insert(frame.image ?? "?") }
    let hasName = frames.contains { $0.function != nil }
    let hasLine = frames.contains { $0.line != nil }, hadLine = known.contains { $0.line > 0 }
    if hasName || !known.isEmpty { named += 1 }
    if hasLine || hadLine { withLines += 1 }
    if !hasName, known.isEmpty, let frame = frames.first, let why = frame.missing {
      unnamed["\(frame.image ?? "addresses"): \(why.text)", default: 0] += 1
    }
    guard hasName, hasLine || !hadLine else { return }
    names.append((address, frames.map(FrameName.init)))
  }
}

extension FrameName {
  fileprivate init(_ frame: SymbolizedFrame) {
    self.init(
      function: frame.function ?? "?", file: frame.file ?? "", line: UInt32(clamping: frame.line ?? 0),
      column: UInt32(clamping: frame.column ?? 0))
  }
}
