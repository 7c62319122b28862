import CallStacks
import TraceFormat
import TraceReplay

/// The functions of sampled stacks: as the trace names them, else as somebody looks them up.
struct StackNames {
  private let frames: [StackAddress: [StackFrame]]

  init(
    _ book: StackBook, _ reader: TraceReader, _ options: StackOptions, isOwn: (StackFrame) -> Bool
  ) {
    // Whole: a path is opened.
    func text(_ id: StringID) -> String { reader.strings[id.rawValue] ?? "" }
    let images = book.images.map { image in
      MappedImage(
        path: text(image.path), bias: image.base,
        range: image.base..<max(image.base, image.base &+ image.size),
        buildID: MappedImage.buildID(text(image.buildID)))
    }
    // What is damaged names nothing. A span may end before the names, which stand at the end: replay does not see them.
    let baked = try? FrameNames(reader)
    var placed: [StackAddress: MappedImage] = [:]
    var frames: [StackAddress: [StackFrame]] = [:]
    var unnamed: [StackAddress] = []
    for address in Set(book.stacks.flatMap(StackAddress.stack)).sorted(by: { $0.lookup < $1.lookup }) {
      placed[address] = images.last { $0.range.contains(address.lookup) }
      let known = baked?[address] ?? []
      if known.isEmpty, placed[address] != nil { unnamed.append(address) }
      frames[address] = known.isEmpty ? [StackFrame()] : known.map(StackFrame.init)
      for place in known.indices.dropLast() { frames[address]?[place].isInlined = true }
    }
    for (address, found) in options.names?(images, unnamed) ?? [:] where !found.isEmpty {
      frames[address] = found
    }
    for address in frames.keys {
      guard var named = frames[address] else { continue }
      for place in named.indices {
        named[place].lie(at: address, in: placed[address])
        named[place].cutNames()
      }
      frames[address] = named
    }
    self.frames = frames.mapValues { active in
      active.map { filled($0) { $0.isOwn = isOwn($0) } }
    }
  }

  /// With functions that the compiler inlined.
  func stack(_ addresses: [UInt64]) -> [StackFrame] {
    StackAddress.stack(addresses).flatMap { frames[$0] ?? [] }
  }
}

extension StackFrame {
  fileprivate init(_ name: FrameName) {
    self.init(
      symbol: name.function, file: name.file.isEmpty ? nil : name.file,
      line: name.line == 0 ? nil : Int(name.line))
  }

  /// Whoever names a frame, where it lies is the trace's to say.
  fileprivate mutating func lie(at address: StackAddress, in image: MappedImage?) {
    self.address = address.lookup
    self.image = image?.name
    imagePath = image?.path
    imageID = image.flatMap { $0.buildID.isEmpty ? nil : TextForm.hex($0.buildID) }
    imageOffset = image.map { address.lookup &- $0.range.lowerBound }
  }

  fileprivate mutating func cutNames() {
    for name in [\StackFrame.image, \.imagePath, \.imageID, \.symbol, \.demangled, \.file] {
      self[keyPath: name] = self[keyPath: name].map(ShownName.of)
    }
  }
}
