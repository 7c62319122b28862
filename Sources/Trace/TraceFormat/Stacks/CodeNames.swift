/// The code behind a trace's names, according to `name.code` events, and the images that contain it.
package struct CodeNames: Sendable {
  package struct Code: Sendable {
    /// The id of the name.
    package var name: UInt32
    /// The start of the callout's function; nil = not known.
    package var function: StackAddress?
    /// Callers of the place that made the object, innermost first.
    package var makers: [StackAddress]

    /// All addresses, the function first.
    package var addresses: [StackAddress] { (function.map { [$0] } ?? []) + makers }
  }

  /// One entry for each name, from the last event about it.
  package private(set) var codes: [Code] = []
  /// In the order of blocks. `bias` is the start of the image, because a trace does not hold the file's own
  /// addresses.
  package private(set) var images: [MappedImage] = []
  /// The number of names and images beyond the limits.
  package private(set) var omitted: UInt64 = 0
  private var places: [UInt32: Int] = [:]

  /// Creates a value without names.
  package init() {}

  /// Decodes the blocks of the recorder's own threads. Skips damaged blocks. O(events of these threads).
  package init(_ reader: TraceReader) throws(TraceFormatError) {
    try reader.forEachReadableBlock(of: reader.recorderThreads) { events in
      for arguments in events.arguments(of: .imageMap) {
        guard let image = MappedImage(arguments, reader) else { continue }
        if images.count < ReadingLimits.images { images.append(image) } else { omitted += 1 }
      }
      for arguments in events.arguments(of: .nameCode) { add(arguments) }
    }
  }

  private mutating func add(_ arguments: [UInt64]) {
    typealias Argument = EventKind.NameCode
    guard arguments.count > Argument.code, let name = UInt32(exactly: arguments[Argument.name]), name != 0
    else { return }
    let function = arguments[Argument.code]
    let code = Code(
      name: name, function: function == 0 ? nil : StackAddress(exact: function),
      makers: arguments[(Argument.code + 1)...].prefix(ReadingLimits.makersPerName).map {
        StackAddress(returnAddress: $0)
      })
    if let place = places[name] {
      codes[place] = code
    } else if codes.count < ReadingLimits.namedCodes {
      places[name] = codes.count
      codes.append(code)
    } else {
      omitted += 1
    }
  }
}

extension MappedImage {
  /// Creates an image from the arguments of an `imageMap` event; nil when they describe no image.
  init?(_ arguments: [UInt64], _ reader: TraceReader) {
    typealias Argument = EventKind.ImageMap
    guard arguments.count > Argument.size, arguments[Argument.size] > 0 else { return nil }
    let base = arguments[Argument.base]
    let (end, isBeyond) = base.addingReportingOverflow(arguments[Argument.size])
    let buildID = arguments.count > Argument.buildID ? reader.text(arguments[Argument.buildID]) : nil
    self.init(
      path: reader.text(arguments[Argument.path]) ?? "", bias: base, range: base..<(isBeyond ? .max : end),
      buildID: MappedImage.buildID(buildID ?? ""))
  }
}
