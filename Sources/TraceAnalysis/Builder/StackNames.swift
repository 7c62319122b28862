import CallStacks
import TraceFormat
import TraceReplay

/// The functions of sampled stacks: as the trace names them, else as somebody looks them up.
struct StackNames {
  private let frames: [StackAddress: [StackFrame]]

  init(
    _ book: StackBook, _ names: TraceNames, _ reader: TraceReader, _ options: StackOptions,
    isOwn: (StackFrame) -> Bool
  ) {
    let images = book.images.map { image in
      MappedImage(
        path: names.string(image.path) ?? "", bias: image.base,
        range: image.base..<max(image.base, image.base &+ image.size),
        buildID: MappedImage.buildID(names.string(image.buildID) ?? ""))
    }
    // What is damaged names nothing.
    let baked = try? FrameNames(reader)
    var frames: [StackAddress: [StackFrame]] = [:]
    var unnamed: [StackAddress] = []
    for address in Set(book.stacks.flatMap(StackAddress.stack)).sorted(by: { $0.lookup < $1.lookup }) {
      let image = images.last { $0.range.contains(address.lookup) }
      let known = baked?[address] ?? []
      if known.isEmpty, image != nil { unnamed.append(address) }
      let named: [FrameName?] = known.isEmpty ? [nil] : known
      frames[address] = named.enumerated().map { position, name in
        var frame = StackFrame(
          image: image?.name, symbol: name?.function, file: name.flatMap { $0.file.isEmpty ? nil : $0.file },
          line: name.flatMap { $0.line == 0 ? nil : Int($0.line) }, address: address.lookup)
        frame.imagePath = image?.path
        frame.imageOffset = image.map { address.lookup &- $0.range.lowerBound }
        frame.isInlined = position < named.count - 1
        return frame
      }
    }
    if let found = options.names?(images, unnamed) {
      frames.merge(found) { old, new in new.isEmpty ? old : new }
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
