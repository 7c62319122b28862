/// A value of a cell.
enum InstrumentsValue: Equatable {
  /// A value of a type or column that is not read.
  case unread
  case number(UInt64)
  /// An index into `InstrumentsNames.texts`.
  case text(Int32)
  /// An index into `InstrumentsNames.threads`.
  case thread(Int32)
  /// An index into `InstrumentsNames.processes`.
  case process(Int32)
  /// An index into `InstrumentsStacks.frames`.
  case frame(Int32)
  /// An index into `InstrumentsStacks.binaries`.
  case binary(Int32)
  /// The number of a stack in `InstrumentsStacks`.
  case stack(Int32)

  var number: UInt64? { if case .number(let number) = self { number } else { nil } }
  var text: Int? { if case .text(let index) = self { Int(index) } else { nil } }
  var thread: Int? { if case .thread(let index) = self { Int(index) } else { nil } }
  var process: Int? { if case .process(let index) = self { Int(index) } else { nil } }
  var stack: Int32? { if case .stack(let number) = self { number } else { nil } }
}

/// The names in all files of an import.
struct InstrumentsNames {
  struct Thread: Hashable {
    var tid: UInt64
    var name: String
    /// An index into `processes`; nil = the file does not say.
    var process: Int?
  }

  struct Process: Hashable {
    var pid: UInt64
    var name: String
  }

  let stacks = InstrumentsStacks()
  private var distinctTexts = Distinct<String>(limit: ImportLimits.otherRows)
  private var distinctThreads = Distinct<Thread>(limit: ImportLimits.otherRows)
  private var distinctProcesses = Distinct<Process>(limit: ImportLimits.processes)

  var texts: [String] { distinctTexts.values }
  var threads: [Thread] { distinctThreads.values }
  var processes: [Process] { distinctProcesses.values }

  mutating func add(_ text: String) -> Int32? { distinctTexts.index(of: text) }
  mutating func add(_ thread: Thread) -> Int32? { distinctThreads.index(of: thread) }
  mutating func add(_ process: Process) -> Int32? { distinctProcesses.index(of: process) }
}

/// A list of distinct values.
struct Distinct<Value: Hashable> {
  private(set) var values: [Value] = []
  private var indices: [Value: Int32] = [:]
  private let limit: Int

  init(limit: Int) { self.limit = limit }

  /// Returns the index of a value, which is added if it is new; nil if there are too many.
  mutating func index(of value: Value) -> Int32? {
    if let known = indices[value] { return known }
    guard values.count < limit else { return nil }
    let index = Int32(values.count)
    values.append(value)
    indices[value] = index
    return index
  }
}

/// The values of one document by their ids. Exports number them from 1, so lists hold nearly all, in 9 bytes each.
struct InstrumentsIDs {
  /// The values of 65,536 consecutive ids.
  private struct Chunk {
    static let bits: UInt64 = 16
    var words: [UInt64]
    var tags: [UInt8]

    init() {
      words = Array(repeating: 0, count: 1 << Chunk.bits)
      tags = Array(repeating: 0, count: 1 << Chunk.bits)
    }

    subscript(place: Int) -> InstrumentsValue? {
      get {
        switch tags[place] {
        case 1: .unread
        case 2: .number(words[place])
        case 3: .text(Int32(truncatingIfNeeded: words[place]))
        case 4: .thread(Int32(truncatingIfNeeded: words[place]))
        case 5: .process(Int32(truncatingIfNeeded: words[place]))
        case 6: .frame(Int32(truncatingIfNeeded: words[place]))
        case 7: .binary(Int32(truncatingIfNeeded: words[place]))
        case 8: .stack(Int32(truncatingIfNeeded: words[place]))
        default: nil
        }
      }
      set {
        (tags[place], words[place]) =
          switch newValue {
          case nil: (0, 0)
          case .unread: (1, 0)
          case .number(let number): (2, number)
          case .text(let index): (3, UInt64(index))
          case .thread(let index): (4, UInt64(index))
          case .process(let index): (5, UInt64(index))
          case .frame(let index): (6, UInt64(bitPattern: Int64(index)))
          case .binary(let index): (7, UInt64(index))
          case .stack(let number): (8, UInt64(bitPattern: Int64(number)))
          }
      }
    }
  }

  private var chunks: [Chunk] = []
  private var others: [UInt64: InstrumentsValue] = [:]
  private var count = 0
  /// How far an id in a new chunk may exceed four times the number of ids. Larger ids are stored one by one, so that
  /// a single id cannot make the lists grow much.
  private static let gap: UInt64 = 1 << 16

  subscript(id: UInt64) -> InstrumentsValue? {
    let chunk = id >> Chunk.bits
    if chunk < UInt64(chunks.count), let value = chunks[Int(chunk)][Int(id & (1 << Chunk.bits - 1))] {
      return value
    }
    return others.isEmpty ? nil : others[id]
  }

  /// Returns false if the id is taken, or if there are too many.
  mutating func set(_ id: UInt64, _ value: InstrumentsValue) -> Bool {
    guard self[id] == nil, count < ImportLimits.values else { return false }
    count += 1
    let chunk = id >> Chunk.bits
    guard chunk < UInt64(chunks.count) || id < 4 * UInt64(count) + InstrumentsIDs.gap else {
      others[id] = value
      return true
    }
    while chunks.count <= chunk { chunks.append(Chunk()) }
    chunks[Int(chunk)][Int(id & (1 << Chunk.bits - 1))] = value
    return true
  }
}
