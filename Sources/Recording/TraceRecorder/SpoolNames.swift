import CRLTraceShims
import SystemSupport
import TraceFormat

/// The kind of a callout, used when its code does not show it.
package enum CalloutWork: Int, Sendable {
  case timer = 1
  case source, loopBlock, queueBlock, workItem, job, queueSource, observer, work, task

  package var text: String {
    switch self {
    case .timer: "timer"
    case .source: "source"
    case .loopBlock, .work: "block"
    case .queueBlock: "main-queue block"
    case .workItem: "work item"
    case .job: "main-actor job"
    case .queueSource: "dispatch source"
    case .observer: "observer"
    case .task: "task"
    }
  }

  /// Whether the code is given as a block.
  package var isBlock: Bool {
    switch self {
    case .loopBlock, .queueBlock, .workItem, .queueSource, .work: true
    case .timer, .source, .job, .observer, .task: false
    }
  }
}

/// Reads the complete entries of a spool's log of names, each once.
///
/// The entries of a file may hold anything. An entry that is not consistent ends the reading.
struct SpoolNames {
  /// The place where a thread first ran its loop in a mode, where a callout ran it, or where the thread polls it.
  struct Runner: Sendable {
    var mode: UInt8
    /// Nil for the first run of the mode.
    var reason: StackReason?
    var osThread: UInt64
    /// Innermost first.
    var returnAddresses: [UInt64]
  }

  struct Definitions: Sendable {
    var strings: [StringDefinition] = []
    var modes: [ModeDefinition] = []
    var threads: [ThreadDefinition] = []
    var info: [InfoEntry] = []
    /// Not written with the others: `RecordedNames` turns them into events.
    var images: [MappedImage] = []
    var codes: [NamedCode] = []
    var runners: [Runner] = []

    var isEmpty: Bool { strings.isEmpty && modes.isEmpty && threads.isEmpty && info.isEmpty }

    init() {}

    mutating func append(_ more: Definitions) {
      strings += more.strings
      modes += more.modes
      threads += more.threads
      info += more.info
    }

    mutating func append(_ named: [NamedCode]) {
      strings += named.map(\.definition)
      codes += named
    }

    /// Creates the definitions of the recorder's own thread.
    init(recorderThread thread: ThreadDefinition) {
      threads = [thread]
      info = [InfoEntry(recorderThread: thread.index)]
    }
  }

  private let spool: Spool
  private let namer: CodeNamer?
  private let addresses = AddressNaming()
  private var position = 0

  /// Creates a reader of the log. `namer` nil = code is named by its addresses.
  init(spool: Spool, namer: CodeNamer?) {
    self.spool = spool
    self.namer = namer
  }

  /// Returns the definitions that were added to the log, and the code that was named, since the last call.
  mutating func takeNew() -> Definitions {
    var requests: [CodeNamer.Request] = []
    let end = spool.namesUsed
    var found = Definitions()
    let head = MemoryLayout<rlt_name_entry>.size
    while position + head <= end {
      let entry = spool.nameEntry(at: position)
      let bytes = Int(entry.bytes), payload = Int(entry.payload_bytes)
      guard bytes >= head, payload <= bytes - head, position + bytes <= end else {
        position = end
        break
      }
      let start = position + head
      position += bytes
      take(entry, spool.names(start..<start + payload), &found, &requests)
    }
    if let namer {
      namer.ask(requests)
      found.append(namer.take())
    } else {
      found.append(requests.compactMap { CodeNamer.name($0, addresses) })
    }
    return found
  }

  private func reason(ofRunner flags: UInt16) -> StackReason? {
    let flags = Int32(flags)
    if flags & Int32(RLT_RUNNER_IS_NESTED) != 0 { return .nestedRun }
    return flags & Int32(RLT_RUNNER_POLLS) != 0 ? .poll : nil
  }

  private func take(
    _ entry: rlt_name_entry, _ payload: [UInt8], _ found: inout Definitions,
    _ requests: inout [CodeNamer.Request]
  ) {
    func text(_ from: Int = 0) -> String { String(decoding: payload.dropFirst(from), as: UTF8.self) }
    func word(_ index: Int) -> UInt64 {
      unsafe payload[8 * index..<8 * index + 8].withUnsafeBytes { unsafe $0.loadUnaligned(as: UInt64.self) }
    }
    func words() -> [UInt64] { (0..<min(payload.count / 8, 64)).map(word) }
    let isStringID = entry.id > 0 && entry.id <= TraceLimits.strings
    switch Int(entry.type) {
    case RLT_NAME_STRING where isStringID:
      found.strings.append(StringDefinition(id: entry.id, text: text()))
    case RLT_NAME_CODE where isStringID && payload.count >= 16:
      let words = words().dropFirst(2), count = Int(clamping: word(1))
      guard let work = CalloutWork(rawValue: Int(word(0) & 0xFF)), count <= words.count else { return }
      requests.append(
        .callout(
          id: entry.id, work, Array(words.prefix(count)), ownCount: min(Int(clamping: word(0) >> 8), count),
          madeAt: Array(words.dropFirst(count))))
    case RLT_NAME_SITE where isStringID:
      requests.append(.site(id: entry.id, words()))
    case RLT_NAME_MODE where entry.id > 0 && entry.id < 256:
      found.modes.append(ModeDefinition(id: UInt8(entry.id), name: text()))
    case RLT_NAME_THREAD where payload.count >= 8 && entry.id < TraceLimits.threads:
      found.threads.append(
        ThreadDefinition(index: entry.id, osThread: word(0), isMain: entry.flags & 1 != 0, name: text(8)))
    case RLT_NAME_RUNNER where entry.id > 0 && entry.id < 256 && payload.count >= 16:
      found.runners.append(
        Runner(
          mode: UInt8(entry.id), reason: reason(ofRunner: entry.flags), osThread: word(0),
          returnAddresses: Array(words().dropFirst())))
    case RLT_NAME_IMAGE where payload.count >= 32:
      let idBytes = Int(clamping: word(3))
      guard idBytes <= payload.count - 32, word(1) <= word(2) else { return }
      let image = MappedImage(
        path: text(32 + idBytes), bias: word(0), range: word(1)..<word(2),
        buildID: Array(payload[32..<32 + idBytes]))
      requests.append(.image(image))
      found.images.append(image)
      if image.path.split(separator: "/").last?.hasPrefix("libFoundation.so") == true {
        found.info.append(InfoEntry(foundation: image.path, buildID: image.buildID))
      }
    case RLT_NAME_INFO:
      guard let end = payload.firstIndex(of: 0) else { return }
      let key = String(decoding: payload[..<end], as: UTF8.self)
      var value = text(end + 1)
      if key == InfoEntry.program {
        // The kernel's form: a zero byte after each word.
        value = ShellWords.line(
          value.split(separator: "\0", omittingEmptySubsequences: false).map(String.init))
      }
      found.info.append(InfoEntry(key: key, value: value))
    default: return
    }
  }
}

/// Returns an address in hexadecimal with the prefix 0x.
func hexadecimal(_ address: UInt64) -> String { "0x" + String(address, radix: 16) }

extension InfoEntry {
  /// Creates the fact that identifies the Foundation library.
  package init(foundation path: String, buildID: [UInt8]) {
    let digits = TextForm.hex(buildID)
    self.init(key: InfoEntry.foundation, value: digits.isEmpty ? path : "\(path), build id \(digits)")
  }
}
