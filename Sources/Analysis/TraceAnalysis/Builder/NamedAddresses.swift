import CallStacks
import TraceFormat
import TraceReplay

/// The functions at code addresses, innermost first. Each function except the last was inlined into the next.
struct NamedAddresses {
  private let addresses: [StackAddress]
  private var placed: [StackAddress: MappedImage] = [:]
  private let baked: FrameNames?
  private let lookedUp: [StackAddress: [StackFrame]]
  private var cutNames: [String: String] = [:]
  /// Whether sampled code in no image was made at run time. Traces of run loops do not tell.
  private var knowsRunTimeCode = false
  private var depth = ReadingLimits.functionsPerAddress
  /// The number of functions that are left out.
  private(set) var omitted: UInt64 = 0

  /// Finds the functions at the addresses of the stacks in `book` and of the code behind names.
  init(
    _ book: StackBook, _ code: CodeNames, _ reader: TraceReader, _ options: StackOptions, hasEventLoops: Bool
  ) {
    var addresses = Set(code.codes.flatMap(\.addresses))
    if !book.samples.isEmpty { addresses.formUnion(book.stacks.lazy.flatMap(StackAddress.stack)) }
    self.addresses = addresses.ordered { $0.lookup < $1.lookup }
    guard !addresses.isEmpty else {
      (baked, lookedUp) = (nil, [:])
      return
    }
    // Paths are not cut, because the files are opened.
    func text(_ id: StringID) -> String { reader.strings[id.rawValue] ?? "" }
    let images =
      book.images.map { image in
        MappedImage(
          path: text(image.path), bias: image.base,
          range: image.base..<max(image.base, image.base &+ image.size),
          buildID: MappedImage.buildID(text(image.buildID)))
      } + code.images
    // If the recorder could note images, it noted that of each sampled address.
    knowsRunTimeCode = hasEventLoops && book.images.contains { $0.size > 0 }
    // Damaged names are ignored. The analyzed span may end before the names at the end of the trace, so the replay
    // does not see them.
    baked = try? FrameNames(reader, of: Set(addresses.map(\.lookup)))
    omitted = baked?.omitted ?? 0
    var unnamed: [StackAddress] = []
    let ranges = ImageRanges(images.map(\.range))
    for address in self.addresses {
      placed[address] = ranges.image(at: address.lookup).map { images[$0] }
      guard placed[address] != nil else { continue }
      let known = baked?[address] ?? []
      if known.isEmpty || options.completesNames && !known.contains(where: { $0.line > 0 }) {
        unnamed.append(address)
      }
    }
    let baked = baked
    lookedUp =
      options.names?(images, unnamed).filter { address, frames in
        // Names in the trace take precedence unless the lookup found more.
        baked?[address].isEmpty ?? true ? !frames.isEmpty : frames.contains { $0.line != nil }
      } ?? [:]
  }

  /// Returns the number of functions at an address, at least 1: a frame may have no name.
  func functions(at address: StackAddress) -> Int {
    max(1, min(depth, lookedUp[address]?.count ?? baked?[address].count ?? 0))
  }

  /// Leaves out the innermost functions at an address beyond `depth`.
  mutating func keep(_ depth: Int) {
    let before = addresses.reduce(0) { $0 + functions(at: $1) }
    self.depth = depth
    omitted += UInt64(clamping: before - addresses.reduce(0) { $0 + functions(at: $1) })
  }

  /// Returns the functions at an address. `isRun`: a thread ran the code there.
  mutating func frames(at address: StackAddress, isRun: Bool = false) -> [StackFrame] {
    var frames = Array(lookedUp[address]?.suffix(depth) ?? [])
    if frames.isEmpty, let names = baked?[address].suffix(depth) {
      frames = names.map(StackFrame.init)
      for place in frames.indices.dropLast() { frames[place].isInlined = true }
    }
    if frames.isEmpty {
      frames = [StackFrame()]
      frames[0].isRunTimeCode = isRun && knowsRunTimeCode && placed[address] == nil
    }
    for place in frames.indices {
      frames[place].lie(at: address, in: placed[address])
      cut(&frames[place].image)
      cut(&frames[place].imagePath)
      cut(&frames[place].imageID)
      cut(&frames[place].symbol)
      cut(&frames[place].demangled)
      cut(&frames[place].file)
    }
    return frames
  }

  private mutating func cut(_ name: inout String?) {
    if let text = name, ShownName.isLong(text) { name = cut(text) }
  }

  /// Cuts each distinct name once for all of its frames.
  private mutating func cut(_ name: String) -> String {
    guard ShownName.isLong(name) else { return name }
    if let known = cutNames[name] { return known }
    let shown = ShownName.of(name)
    cutNames[name] = shown
    return shown
  }
}

extension StackFrame {
  fileprivate init(_ name: FrameName) {
    self.init(
      symbol: name.function, file: name.file.isEmpty ? nil : name.file,
      line: name.line == 0 ? nil : Int(name.line))
  }

  /// Sets the frame's address and image from the trace, whatever the source of its names.
  fileprivate mutating func lie(at address: StackAddress, in image: MappedImage?) {
    self.address = address.lookup
    self.image = image?.name
    self.imagePath = image?.path
    self.imageID = image.flatMap { $0.buildID.isEmpty ? nil : TextForm.hex($0.buildID) }
    self.imageOffset = image.map { address.lookup &- $0.range.lowerBound }
  }
}
