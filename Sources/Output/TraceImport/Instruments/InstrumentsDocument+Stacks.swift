import TraceResults

/// Reading of stacks. Exports write them in three forms: frames with names and binaries inside `backtrace`, the same
/// inside `tagged-backtrace`, and plain addresses inside `kperf-bt`.
extension InstrumentsDocument {
  /// Reads a stack, whose children are frames or a part of the stack, innermost first.
  mutating func readStack(_ isEmpty: Bool) throws(ImportError) -> InstrumentsValue {
    var frames: [Int32] = []
    // The program counter at the time of the sample. The other addresses are those of the callers, or form a list
    // that begins with it.
    var innermost: UInt64?
    // Not 0 if the stack cannot be kept.
    var lost: Int32 = 0
    if !isEmpty {
      try forEachChild { (document, isEmpty) throws(ImportError) in
        let isAddress = document.xml.name == "text-address"
        switch try document.readValue(isEmpty, isText: false) {
        case .frame(let frame): document.add(frame, to: &frames, &lost)
        case .stack(let part):
          if part < 0 { lost = part }
          for frame in document.names.stacks.frames(of: part) { document.add(frame, to: &frames, &lost) }
        case .number(let address) where isAddress: innermost = innermost ?? address
        default: break
        }
      }
    }
    guard lost == 0 else { return .stack(lost) }
    if let innermost, innermost != 0, frames.first.map({ names.stacks.frames[Int($0)].address }) != innermost
    {
      frames.insert(frame(at: innermost), at: 0)
    }
    return stack(of: frames)
  }

  private func add(_ frame: Int32, to frames: inout [Int32], _ lost: inout Int32) {
    if frame < 0 { lost = frame }
    // The outer frames of a longer stack are not kept.
    if frames.count < ImportLimits.framesPerStack { frames.append(frame) }
  }

  /// Reads a list of addresses, innermost first. Zeros mark frames that were not found.
  mutating func readAddresses(_ isEmpty: Bool) throws(ImportError) -> InstrumentsValue {
    var frames: [Int32] = []
    let text = try text(isEmpty)
    var rest = text.utf8[...]
    while frames.count < ImportLimits.framesPerStack {
      rest = rest.drop { $0 == UInt8(ascii: " ") }
      if rest.isEmpty { break }
      let word = rest.prefix { $0 != UInt8(ascii: " ") }
      rest = rest[word.endIndex...]
      guard let address = UInt64(Substring(word)) else {
        throw xml.error("'\(harmless(String(Substring(word.prefix(40)))))' is not an address")
      }
      if address != 0 { frames.append(frame(at: address)) }
    }
    return stack(of: frames)
  }

  /// Reads a frame, which contains its binary.
  mutating func readFrame(_ isEmpty: Bool, _ attributes: Attributes) throws(ImportError) -> InstrumentsValue {
    var binary: Int32 = -1
    if !isEmpty {
      try forEachChild { (document, isEmpty) throws(ImportError) in
        if case .binary(let found) = try document.readValue(isEmpty, isText: false) { binary = found }
      }
    }
    guard let address = Self.address(attributes.address), address != 0 else {
      return .frame(InstrumentsStacks.unusable)
    }
    var name: Int32 = -1
    // A function without a name has an address in its place.
    if !attributes.name.isEmpty, Self.address(attributes.name) == nil {
      guard let text = names.add(cut(attributes.name)) else { return .frame(InstrumentsStacks.beyond) }
      name = text
    }
    return .frame(names.stacks.add(InstrumentsStacks.Frame(address: address, name: name, binary: binary)))
  }

  /// Reads a binary. A binary without a load address is ignored, because no address can be resolved with it.
  mutating func readBinary(_ isEmpty: Bool, _ attributes: Attributes) throws(ImportError) -> InstrumentsValue
  {
    try skip(isEmpty)
    guard let base = Self.address(attributes.loadAddress) else { return .unread }
    let path = attributes.path.isEmpty ? attributes.name : attributes.path
    let uuid = attributes.uuid.filter { $0 != "-" }.lowercased()
    let binary = InstrumentsStacks.Binary(
      path: cut(path), uuid: uuid.count == 32 && uuid.allSatisfy(\.isHexDigit) ? uuid : "", base: base)
    return names.stacks.add(binary).map(InstrumentsValue.binary) ?? .unread
  }

  private func frame(at address: UInt64) -> Int32 {
    names.stacks.add(InstrumentsStacks.Frame(address: address, name: -1, binary: -1))
  }

  private func stack(of frames: [Int32]) -> InstrumentsValue {
    if let lost = frames.first(where: { $0 < 0 }) { return .stack(lost) }
    return frames.isEmpty ? .unread : .stack(names.stacks.add(stack: frames))
  }

  /// Returns the number in "0x1a0241c35".
  private static func address(_ text: String) -> UInt64? {
    text.hasPrefix("0x") ? UInt64(text.dropFirst(2), radix: 16) : nil
  }
}
