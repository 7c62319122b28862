import CallStacks
import Symbolication
import TraceFormat

/// Names the frames of texts with the symbols of files from the same builds.
struct ForeignSymbols {
  private struct Image: Hashable {
    let name: String
    let id: String?
  }

  /// Each image gets a range of its own. Only the offset in the range matters.
  private static let room: UInt64 = 1 << 36

  private let symbolizer: StackSymbolizer
  private var places: [Image: UInt64] = [:]
  /// The number of frames with an image and an offset, and the number of those that were named.
  private(set) var asked = 0
  private(set) var named = 0

  init(folders: [String]) { symbolizer = StackSymbolizer(folders: folders) }

  /// The images without a build id. Their files may come from another build.
  var unverified: Set<String> { symbolizer.unverifiedImages }
  var cutFolders: [String] { symbolizer.cutFolders }
  var lineReaderAdvice: String? { symbolizer.lineReaderAdvice }

  mutating func name(_ stacks: [CallStack]) -> [CallStack] {
    for stack in stacks { for frame in stack.frames { add(frame) } }
    let addresses = Set(stacks.flatMap { stack in stack.frames.indices.compactMap { address(stack, $0) } })
    let found = symbolizer.frames(of: addresses)
    return stacks.map { stack in
      var named = stack
      named.frames = stack.frames.indices.flatMap { index -> [StackFrame] in
        let frame = stack.frames[index]
        guard let address = address(stack, index) else { return [frame] }
        asked += 1
        let names = (found[address] ?? []).filter { $0.function != nil }
        guard !names.isEmpty else { return [frame] }
        self.named += 1
        return names.map { Self.frame(frame, $0) }
      }
      named.number = nil
      return named
    }
  }

  private mutating func add(_ frame: StackFrame) {
    guard let image = Self.image(frame), frame.imageOffset != nil, places[image] == nil else { return }
    let base = UInt64(places.count + 1) * Self.room
    places[image] = base
    symbolizer.add(
      MappedImage(
        path: frame.imagePath ?? image.name, bias: base, range: base..<base + Self.room,
        buildID: image.id.map(Self.bytes) ?? []),
      knowsBias: false)
  }

  private static func image(_ frame: StackFrame) -> Image? {
    guard let name = frame.image ?? frame.imageID else { return nil }
    return Image(name: name, id: frame.imageID)
  }

  private func address(_ stack: CallStack, _ index: Int) -> StackAddress? {
    let frame = stack.frames[index]
    guard let offset = frame.imageOffset, offset < Self.room / 2, let image = Self.image(frame),
      let base = places[image]
    else { return nil }
    return StackAddress(base + offset, at: index)
  }

  private static func frame(_ frame: StackFrame, _ name: SymbolizedFrame) -> StackFrame {
    var named = frame
    named.symbol = name.symbol ?? name.function
    named.demangled = name.function
    named.file = name.file
    named.line = name.line
    named.isInlined = name.isInlined
    return named
  }

  private static let longestID = 128

  /// Returns the bytes of a build id in hexadecimal digits, with dashes or without; empty if it is not one.
  private static func bytes(_ id: String) -> [UInt8] {
    guard id.utf8.count <= longestID else { return [] }
    return TextForm.bytes(hex: id.filter { $0 != "-" }[...]) ?? []
  }
}
