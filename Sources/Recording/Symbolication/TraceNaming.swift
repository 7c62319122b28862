import TraceFormat

/// Names for the code addresses of one trace, and counts of those without a name.
package struct TraceNaming: Sendable {
  /// The names to write with `FrameNaming`.
  package private(set) var names: [(address: StackAddress, frames: [FrameName])] = []
  /// The number of addresses with names, new or old, and of those with a line.
  package private(set) var named = 0
  package private(set) var withLines = 0
  /// The number of addresses without a name, by image and reason.
  package private(set) var unnamed: [String: Int] = [:]
  /// The images on which llvm-symbolizer failed.
  package private(set) var failedImages: Set<String> = []
  /// The images that were built without debug information, by file name.
  package private(set) var imagesWithoutLines: Set<String> = []

  /// `known`: the names that the trace has. They stay if they say more than the new ones. The symbolizer begins with
  /// the images of `code`.
  package init(_ code: RecordedCode, known: FrameNames, _ symbolizer: StackSymbolizer) {
    symbolizer.beginProcess()
    for image in code.images { symbolizer.add(image, knowsBias: false) }
    let found = symbolizer.frames(of: code.addresses)
    for address in code.addresses { add(found[address] ?? [], address, known[address]) }
  }

  private mutating func add(_ frames: [SymbolizedFrame], _ address: StackAddress, _ known: [FrameName]) {
    for frame in frames where frame.missing == .lineReaderFailed { failedImages.insert(frame.image ?? "?") }
    for frame in frames where frame.missing == .noLines { imagesWithoutLines.insert(frame.image ?? "?") }
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
