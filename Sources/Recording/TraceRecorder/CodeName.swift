import TraceFormat

/// The name of a callout or of the place that created an object, with the code that it names.
package struct CodeName: Sendable {
  package var text: String
  /// The address of the callout's function; nil = not known.
  package var function: UInt64?
  /// The return addresses of the place that created the object, innermost first.
  package var makers: [UInt64]

  package init(_ text: String, function: UInt64? = nil, makers: [UInt64] = []) {
    self.text = text
    self.function = function
    self.makers = makers
  }
}

/// A type that turns code addresses of the recorded process into text.
package protocol CodeNaming: AnyObject {
  func add(_ image: MappedImage)
  /// Returns the name of a callout, taken from the first address that is not a mere thunk. The first `ownCount`
  /// addresses are the program's own code. If there are none, the name says where the callout was made.
  func name(
    ofCallout work: CalloutWork, _ addresses: [UInt64], ownCount: Int, madeAt returnAddresses: [UInt64]
  ) -> CodeName
  /// Returns the name of the place that created an object. `returnAddresses`: innermost first.
  func name(ofSite returnAddresses: [UInt64]) -> CodeName
}

/// A string of the trace that names code.
struct NamedCode: Sendable {
  var id: UInt32
  var name: CodeName

  var definition: StringDefinition { StringDefinition(id: id, text: name.text) }

  /// The arguments of the event `name.code`; nil if no address is known.
  var arguments: [UInt64]? {
    guard name.function != nil || !name.makers.isEmpty else { return nil }
    return [UInt64(id), name.function ?? 0] + name.makers.prefix(TraceLimits.argumentsPerEvent - 2)
  }
}

/// The images and addresses behind the names of a recording. They become the events with which a reader of the trace
/// finds file and line.
struct RecordedNames {
  private var images: [MappedImage] = []
  private var codes: [NamedCode] = []
  private var modes: [UInt8: String] = [:]
  private var runners: [UInt8: SpoolNames.Runner] = [:]
  /// The arguments of `thread.stack` events for runs that were noted with their callers.
  private var runStacks: [[UInt64]] = []
  /// A recorded process notes at most this many.
  private static let runStacksKept = 64
  /// Modes that several threads ran, so no single place in the code represents them.
  private var sharedModes: Set<UInt8> = []
  private var lastString: UInt32 = 0
  private var isHandedOver = false

  /// Notes definitions that are being added to the trace.
  mutating func note(_ found: SpoolNames.Definitions) {
    for string in found.strings { lastString = max(lastString, string.id) }
    images += found.images
    codes += found.codes
    for mode in found.modes { modes[mode.id] = mode.name }
    for runner in found.runners {
      if let reason = runner.reason {
        runStacks.append([runner.osThread, reason.rawValue] + runner.returnAddresses)
        continue
      }
      if let known = runners[runner.mode], known.osThread != runner.osThread {
        sharedModes.insert(runner.mode)
      }
      runners[runner.mode] = runners[runner.mode] ?? runner
    }
  }

  /// Hands the events to `notes`, once, when all names are known. Returns the additional strings that the events
  /// need; their ids follow all noted ones.
  mutating func hand(to notes: RecorderNotes, at moment: ClockReading) -> [StringDefinition] {
    guard !isHandedOver else { return [] }
    isHandedOver = true
    var strings: [StringDefinition] = []
    func id(_ text: String) -> UInt64 {
      guard !text.isEmpty, lastString + UInt32(strings.count) < TraceLimits.strings else { return 0 }
      strings.append(StringDefinition(id: lastString + UInt32(strings.count) + 1, text: text))
      return UInt64(strings[strings.count - 1].id)
    }
    let named = runners.values.filter { !sharedModes.contains($0.mode) }.sorted { $0.mode < $1.mode }
      .compactMap { runner in
        modes[runner.mode].map { CodeName($0, makers: runner.returnAddresses) }
      }
    let codes = (codes + named.map { NamedCode(id: UInt32(id($0.text)), name: $0) })
      .filter { $0.id > 0 }.compactMap(\.arguments)
    let stacks = runStacks.prefix(Self.runStacksKept)
    let addresses =
      codes.flatMap { $0.dropFirst(EventKind.NameCode.code) }
      + stacks.flatMap { $0.dropFirst(EventKind.ThreadStack.frame) }
    let used = images.filter { image in addresses.contains { image.range.contains($0) } }
    let maps = used.map { image in
      RecorderNote.Event(
        kind: .imageMap,
        arguments: [
          id(image.path), image.range.lowerBound, image.range.upperBound - image.range.lowerBound,
          id(TextForm.hex(image.buildID)),
        ])
    }
    let events =
      maps + codes.map { RecorderNote.Event(kind: .nameCode, arguments: $0) }
      + stacks.map { RecorderNote.Event(kind: .threadStack, arguments: $0) }
    for event in events { notes.add(RecorderNote(moment: moment, event: event)) }
    return strings
  }
}
