import TraceFormat

/// The meaning of changes for the items of one recording.
struct ChangePlan {
  /// The changes of one item.
  struct ItemChange {
    /// The mode to add the timer to, or to queue the block for, instead of its own.
    var mode: String?
    /// The modes to add the timer to as well.
    var otherModes: [String] = []
    var intervalNs: UInt64?
    var toleranceNs: UInt64?
    var lengths: [Change.Length] = []
    var hopNs: UInt64?
    var splitNs: UInt64?
    var isRemoved = false
    var periodNs: UInt64?

    /// Returns the length of a callout, given its recorded length without the runs inside it.
    func lengthNs(of recordedNs: UInt64) -> UInt64 {
      lengths.reduce(recordedNs) { ns, rule in
        switch rule {
        case .exactly(let new): new
        case .atMost(let most): min(ns, most)
        case .times(let factor):
          UInt64(clamping: min((Double(ns) * factor).rounded(), Double(LoopTimes.latestNs)))
        }
      }
    }
  }

  /// The changes by the lives of their items. Items without changes are missing.
  private(set) var changes: [Int32: ItemChange] = [:]
  /// Whether an item has a change, by its life; empty without changes.
  private var isChanged: [Bool] = []
  let requested: [Change]
  /// The items of each change, for the report.
  private(set) var targets: [(change: Change, lives: [Int32])] = []
  /// The ids of modes that the recording does not have.
  private(set) var newModes: [String: UInt8] = [:]

  var isNothing: Bool { changes.isEmpty }

  private(set) var hasRemovals = false

  static let nothing = ChangePlan()

  private init() { requested = [] }

  /// Throws if a name is not in the trace, or if a change cannot be predicted.
  init(
    _ requested: [Change], _ recording: Recording, _ histories: [LoopHistory], _ arrivals: [Arrivals]
  ) throws(WhatIfError) {
    self.requested = requested
    isChanged = [Bool](repeating: false, count: recording.lives.count)
    for change in requested {
      guard let target = change.target else { continue }
      let lives = try ChangePlan.lives(target, change, recording, histories)
      targets.append((change, lives))
      switch change.effect {
      case .mode(let mode), .anotherMode(let mode): define(mode, recording)
      default: break
      }
      for life in lives {
        try ChangePlan.refuseUnpredictable(change, life, recording, histories, arrivals)
        add(change.effect, to: life)
      }
    }
  }

  /// Returns the id of a mode that a change names; one that the recording lacks gets a new id.
  func modeID(_ name: String, _ recording: Recording) -> UInt64 {
    let modes = recording.reader.modes
    if let known = modes.filter({ $0.value == name }).keys.min() { return UInt64(known) }
    return UInt64((newModes[name] ?? ModeDefinition.overflowID))
  }

  func modeName(_ id: UInt8, _ recording: Recording) -> String {
    newModes.first { $0.value == id }?.key ?? recording.modeName(id)
  }

  subscript(_ life: Int32) -> ItemChange? {
    changes.isEmpty || life < 0 || !isChanged[Int(life)] ? nil : changes[life]
  }

  private mutating func define(_ mode: String, _ recording: Recording) {
    guard !recording.reader.modes.values.contains(mode), newModes[mode] == nil else { return }
    let used = Set(recording.reader.modes.keys).union(newModes.values)
    newModes[mode] = (1..<ModeDefinition.overflowID).first { !used.contains($0) }
  }

  private mutating func add(_ effect: Change.Effect, to life: Int32) {
    var item = changes[life] ?? ItemChange()
    switch effect {
    case .nothing: return
    case .mode(let mode): item.mode = mode
    case .anotherMode(let mode): item.otherModes.append(mode)
    case .interval(let ns): item.intervalNs = ns
    case .tolerance(let ns): item.toleranceNs = ns
    case .length(let length): item.lengths.append(length)
    case .offTheLoop(let hopNs): item.hopNs = hopNs
    case .split(let ns): item.splitNs = ns
    case .removed:
      item.isRemoved = true
      hasRemovals = true
    case .coalesced(let periodNs): item.periodNs = periodNs
    }
    changes[life] = item
    isChanged[Int(life)] = true
  }

  // MARK: Names

  private static func isOf(_ kind: RecordedLife.Kind, _ wanted: Change.Target.Kind) -> Bool {
    switch wanted {
    case .timer: kind == .timer
    case .source: kind == .source
    case .block: kind == .block
    case .observer: kind == .observer
    case .callout: kind == .timer || kind == .source || kind == .block || kind == .observer
    }
  }

  private static func word(_ kind: RecordedLife.Kind) -> String {
    switch kind {
    case .timer: "timer"
    case .source: "source"
    case .block: "block"
    case .observer: "observer"
    case .loop: "loop"
    case .work: "work"
    case .queue: "queue"
    case .other: "object"
    }
  }

  /// The number of names that a message about an unknown one lists.
  private static let candidates = 12

  private static func lives(
    _ target: Change.Target, _ change: Change, _ recording: Recording, _ histories: [LoopHistory]
  ) throws(WhatIfError) -> [Int32] {
    let items = recording.lives.indices.filter { isOf(recording.lives[$0].kind, target.kind) }
    let named = items.filter { recording.lives[$0].name == target.name }
    guard !named.isEmpty else {
      try refuseQueues(target, change, recording)
      let names = Set(items.map { "\(word(recording.lives[$0].kind)) \"\(recording.lives[$0].name)\"" })
      let shown = names.sorted().prefix(candidates)
      throw .usage(
        "'\(change.text)': no \(target.kind.rawValue) is called \"\(target.name)\""
          + (shown.isEmpty
            ? "" : "; there are " + shown.joined(separator: ", ") + (names.count > shown.count ? ", …" : "")))
    }
    let kinds = Set(named.map { word(recording.lives[$0].kind) })
    guard kinds.count == 1 else {
      throw .usage(
        "'\(change.text)': several kinds of items are called \"\(target.name)\"; write "
          + kinds.sorted().map { "'\($0) \(target.name) …'" }.joined(separator: " or "))
    }
    return named.map(Int32.init)
  }

  // MARK: What cannot be predicted

  /// Throws if the name is that of a queue, or of its work.
  private static func refuseQueues(
    _ target: Change.Target, _ change: Change, _ recording: Recording
  ) throws(WhatIfError) {
    let named = recording.lives.filter { $0.name == target.name }
    let isWork = named.contains { $0.kind == .work }
    guard isWork || named.contains(where: { $0.kind == .queue }) else { return }
    throw .undecided(
      "'\(change.text)': it is \(isWork ? "work of a queue" : "a queue"), and only run loops are replayed")
  }

  /// Throws if the recording does not allow a prediction of this change for this item.
  private static func refuseUnpredictable(
    _ change: Change, _ life: Int32, _ recording: Recording, _ histories: [LoopHistory],
    _ arrivals: [Arrivals]
  ) throws(WhatIfError) {
    let item = recording.lives[Int(life)]
    // Finding the reactions reads all callouts of the item, so it is left to the changes that depend on them.
    func reactions() -> Reactions { Reactions(of: life, recording, histories) }
    func refuse(_ reason: String) -> WhatIfError { .undecided("'\(change.text)': \(reason)") }
    if recording.eventLoops.contains(item.loop) {
      throw refuse("it belongs to an event loop, and only run loops are replayed")
    }
    if change.effect.changesCallouts, histories.contains(where: { $0.hasOpenHang(of: life, recording) }) {
      throw refuse(
        "a callout of it had not ended when the recording ended; how it ends and what follows is not known")
    }
    switch change.effect {
    case .mode, .anotherMode, .interval:
      if case .interval = change.effect, item.intervalNs == 0 { throw refuse("the timer fires only once") }
      let reactions = reactions()
      if reactions.hasUnknownDue { throw refuse("the due points of the timer were not recorded") }
      if reactions.movesItself { throw refuse("its callout moves the timer, which may depend on the time") }
      if reactions.runsTheLoop { throw refuse("its callout runs the loop") }
      if item.kind == .block, !item.hasModes {
        throw refuse("it is a block of the main queue, which has no modes, or its modes were not recorded")
      }
    case .split:
      if reactions().runsTheLoop { throw refuse("its callout runs the loop, which cannot be cut into parts") }
      if item.kind == .observer { throw refuse("an observer's work must be done before the loop goes on") }
    case .offTheLoop:
      let onLoopOnly = reactions().onLoopOnly
      if !onLoopOnly.isEmpty {
        throw refuse("its callout must stay on the loop: it causes " + onLoopOnly.joined(separator: ", "))
      }
    case .removed:
      let onOthers = reactions().onOthers
      if !onOthers.isEmpty {
        throw refuse("other things depend on it: its callout causes " + onOthers.joined(separator: ", "))
      }
    case .coalesced:
      let hasSignals = recording.threads.contains { thread in
        thread.events.contains { $0.kind == .sourceSignal && $0.life == life }
      }
      if !hasSignals { throw refuse("no signals of the source were recorded") }
      let callouts = histories.reduce(0) { $0 + ($1.performs[life]?.count ?? 0) }
      let missing = zip(histories, arrivals).reduce(0) {
        $0 + $1.1.inferredSignals(of: life, $1.0, recording)
      }
      if missing > 0 {
        throw refuse("\(missing) of \(callouts) callouts of the source answer signals that were not recorded")
      }
    case .nothing, .tolerance, .length: break
    }
  }
}
