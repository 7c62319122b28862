/// The code behind a trace's names, according to `name.code` events, and the images that contain it.
public struct CodeNames: Sendable {
  public struct Code: Sendable {
    /// The id of the name.
    public var name: UInt32
    /// The start of the callout's function; nil = not known.
    public var function: StackAddress?
    /// Callers of the place that made the object, innermost first.
    public var makers: [StackAddress]

    /// All addresses, the function first.
    public var addresses: [StackAddress] { (function.map { [$0] } ?? []) + makers }
  }

  /// One entry for each name, from the last event about it.
  public private(set) var codes: [Code] = []
  /// In the order of blocks. `bias` is the start of the image, because a trace does not hold the file's own
  /// addresses.
  public private(set) var images: [MappedImage] = []
  /// The number of names and images beyond the limits.
  public private(set) var omitted: UInt64 = 0
  private var places: [UInt32: Int] = [:]

  /// Creates a value without names.
  public init() {}

  /// Decodes the blocks of the recorder's own threads. Skips damaged blocks. O(events of these threads).
  public init(_ reader: TraceReader) throws(TraceFormatError) {
    try reader.forEachReadableBlock(of: reader.recorderThreads) { events in
      for arguments in events.arguments(of: .imageMap) {
        guard let image = MappedImage(arguments, reader) else { continue }
        if images.count < ReadingLimits.images { images.append(image) } else { omitted += 1 }
      }
      for arguments in events.arguments(of: .nameCode) { add(arguments) }
    }
  }

  private mutating func add(_ arguments: [UInt64]) {
    guard arguments.count > 1, let name = UInt32(exactly: arguments[0]), name != 0 else { return }
    let code = Code(
      name: name, function: arguments[1] == 0 ? nil : StackAddress(exact: arguments[1]),
      makers: arguments[2...].prefix(ReadingLimits.makersPerName).map { StackAddress(returnAddress: $0) })
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
    guard arguments.count >= 3, arguments[2] > 0 else { return nil }
    let (end, isBeyond) = arguments[1].addingReportingOverflow(arguments[2])
    self.init(
      path: reader.text(arguments[0]) ?? "", bias: arguments[1],
      range: arguments[1]..<(isBeyond ? .max : end),
      buildID: MappedImage.buildID(arguments.count > 3 ? reader.text(arguments[3]) ?? "" : ""))
  }
}
