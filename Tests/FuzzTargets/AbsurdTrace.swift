import TestSupport
import TraceCompression
import TraceFormat

/// A valid trace with events of every kind in the table and with content that no program has, as an attacker would
/// write it.
struct AbsurdTrace {
  /// Names that confuse terminals, parsers, spreadsheets and people.
  static let strings =
    HostileText.samples.filter { $0.utf8.count < 1_000 } + [
      "</script><img src=x onerror=alert(7)>", "=cmd()", "+1", "-1", "@SUM(A1)", "]]>", "<!--", "{{x}}",
      "${x}",
      "a,b\"c", "line\nline", "\u{1B}]0;title\u{7}", "\u{202E}\u{2066}", "\u{0}", "`rm`", "| a | b |",
      "../../x",
      "kCFRunLoopCommonModes", "kCFRunLoopDefaultMode", "UITrackingRunLoopMode",
      String(repeating: "long ", count: 3_000),
    ]

  private static let absurd: [UInt64] = [
    0, 1, 2, (1 << 31) - 1, 1 << 31, 1 << 32, 1 << 53, (1 << 63) - 1, 1 << 63, (1 << 63) + 1, .max - 1, .max,
  ]

  private static let kinds = EventTable.definitions.map(\.kind.rawValue) + [200]

  private var random: Entropy
  /// One argument in this many is absurd; 0 = never.
  private let absurdity: Int
  private let stringCount: Int
  private let steps: [UInt64]
  private let objects: Int
  private var time: UInt64
  private var depth = 0

  init(_ bytes: [UInt8]) {
    random = Entropy(bytes)
    absurdity = random.pick([0, 30, 4, 1])
    stringCount = 1 + random.below(12)
    steps = random.pick([[0, 1], [50, 5_000, 100_000], [1 << 20, 1 << 30], [0, 100, 1 << 36]])
    objects = random.pick([2, 6, 40])
    time = random.pick([0, 0, 0, 1_000_000, 1 << 31, 1 << 40, .max - (1 << 20)])
  }

  mutating func bytes() throws -> [UInt8] {
    let sink = MemorySink()
    let header = FileHeader(
      timeUnit: random.pick(TimeUnit.allCases), codec: random.pick([.none, .zstd]),
      captureLevel: random.pick([.callouts, .callouts, .activities, .stacks, .imported]),
      clock: random.pick(ClockSource.allCases), hasHighStamps: random.oneIn(2))
    let writer = try TraceWriter(sink: sink, header: header, codec: allCodecs(header.codec)!)
    try define(writer)
    let threads = random.pick([1, 2, 4])
    let origin = time
    for _ in 0..<(1 + random.below(3)) {
      for thread in 0..<threads {
        if random.oneIn(3) { time = origin }
        let buffer = EventBuffer()
        for _ in 0..<(1 + random.below(40)) { add(buffer, hasHigh: header.hasHighStamps) }
        try writer.write(buffer, thread: UInt32(thread))
      }
    }
    try writer.close()
    return sink.bytes
  }

  private mutating func define(_ writer: TraceWriter) throws {
    try writer.write(
      (1...stringCount).map { StringDefinition(id: UInt32($0), text: random.pick(Self.strings)) })
    try writer.write(
      (0..<3).map {
        ThreadDefinition(
          index: UInt32($0), osThread: random.oneIn(4) ? random.pick(Self.absurd) : UInt64($0 + 1),
          isMain: $0 == 0, name: random.pick(Self.strings))
      })
    try writer.write(
      (1...4).map { ModeDefinition(id: UInt8($0), name: random.pick(Self.strings + [ModeName.default])) })
    if random.oneIn(2) {
      try writer.write(
        (0..<2).map { _ in
          SyncPoint(
            time: random.pick(Self.absurd), monotonicNs: random.pick(Self.absurd),
            boottimeNs: random.pick(Self.absurd), realtimeNs: random.pick(Self.absurd))
        })
    }
    let keys = [
      "begins_at", "dropped_events", "heartbeat_ns", "recorder_thread", "deferrable", "end_unknown", "<b>",
    ]
    if random.oneIn(3) {
      try writer.write(
        (0..<3).map { _ in
          InfoEntry(
            key: random.pick(keys),
            value: random.oneIn(2) ? random.pick(Self.strings) : "\(random.pick(Self.absurd))")
        })
    }
  }

  // MARK: Events

  /// Adds one event of any kind, or a few that belong together as in a loop.
  private mutating func add(_ buffer: EventBuffer, hasHigh: Bool) {
    switch random.below(8) {
    case 0, 1: addPass(buffer, hasHigh)
    case 2:
      let begin = random.pick(Array(stride(from: UInt8(20), through: 32, by: 2)))
      let object = UInt32(random.below(objects))
      addEvent(buffer, begin, object: object)
      if depth < 4, random.oneIn(3) {
        depth += 1
        add(buffer, hasHigh: hasHigh)
        depth -= 1
      }
      if !random.oneIn(8) { addEvent(buffer, begin + 1, object: object) }
    case 3: addTimer(buffer)
    case 4: addSnapshot(buffer)
    default: addEvent(buffer, random.pick(Self.kinds))
    }
  }

  private mutating func addPass(_ buffer: EventBuffer, _ hasHigh: Bool) {
    var activities: [Activity] = [.beforeTimers, .beforeSources]
    if random.oneIn(4) { activities.insert(.entry, at: 0) }
    if !random.oneIn(4) { activities += [.beforeWaiting, .afterWaiting] }
    if random.oneIn(4) { activities.append(.exit) }
    for activity in activities {
      addEvent(buffer, EventKind(activity).rawValue, object: 1)
      if hasHigh, !random.oneIn(10) {
        addEvent(buffer, EventKind(activity, isHigh: true).rawValue, object: 1)
      }
    }
  }

  /// Adds a timer's creation, addition and due point. The callout may follow.
  private mutating func addTimer(_ buffer: EventBuffer) {
    let object = UInt32(2 + random.below(objects))
    for kind: EventKind in [.timerCreate, .timerAdd, .timerDue] {
      if !random.oneIn(6) { addEvent(buffer, kind.rawValue, object: object) }
    }
    addEvent(buffer, EventKind.timerBegin.rawValue, object: object)
    addEvent(buffer, EventKind.timerEnd.rawValue, object: object)
  }

  private mutating func addSnapshot(_ buffer: EventBuffer) {
    addEvent(buffer, EventKind.topologyBegin.rawValue, object: 1)
    for _ in 0..<random.below(6) {
      addEvent(buffer, random.pick([EventKind.topologyMode, .topologyItem]).rawValue)
    }
    if !random.oneIn(5) { addEvent(buffer, EventKind.topologyEnd.rawValue, object: 1) }
  }

  private mutating func addEvent(_ buffer: EventBuffer, _ kind: UInt8, object: UInt32? = nil) {
    let step = random.pick(steps)
    let (later, overflow) = time.addingReportingOverflow(step == 0 ? 0 : random.next() % step)
    if !overflow { time = later }
    let definition = EventTable.definition(of: EventKind(kind))
    var arguments = (definition?.arguments ?? []).map { value($0.unit) }
    if let last = definition?.arguments.last, definition?.isVariadic == true {
      for _ in 0..<random.below(5) { arguments.append(value(last.unit)) }
    }
    if random.oneIn(16) { arguments.removeLast(min(arguments.count, 1 + random.below(3))) }
    if random.oneIn(40) { arguments += [random.pick(Self.absurd)] }
    buffer.append(
      time: time, kind: kind, mode: random.oneIn(16) ? UInt8(random.below(256)) : UInt8(random.below(5)),
      object: object ?? (random.oneIn(16) ? .max : UInt32(random.below(objects))), arguments: arguments)
  }

  private mutating func value(_ unit: ArgumentUnit) -> UInt64 {
    if absurdity > 0, random.oneIn(absurdity) { return random.pick(Self.absurd) }
    switch unit {
    case .time: return time &- 500 &+ UInt64(random.below(1_000))
    case .nanoseconds: return random.pick([0, 1_000, 1_000_000, 100_000_000, 3_000_000_000])
    case .string: return UInt64(random.below(stringCount + 2))
    case .mode: return UInt64(random.below(6))
    case .object: return UInt64(random.below(objects))
    case .address: return 0x1000 + UInt64(random.below(64)) * 16
    case .code: return UInt64(random.below(8))
    case .count, .signed: return UInt64(random.below(200))
    }
  }
}
