import TraceFormat

/// The reactions of one item's callouts that decide whether a change of the item can be predicted.
struct Reactions {
  private(set) var runsTheLoop = false
  /// Whether a callout of the timer sets the timer's fire date.
  private(set) var movesItself = false
  /// Whether a callout of the timer has no due point.
  private(set) var hasUnknownDue = false
  /// The names of events that only the loop's own thread can make.
  private(set) var onLoopOnly: [String] = []
  /// The names of events that act on other items, with the names of the items.
  private(set) var onOthers: [String] = []

  init(of life: Int32, _ recording: Recording, _ histories: [LoopHistory]) {
    for history in histories {
      let thread = recording.threads[history.place]
      if let fires = history.fires[life] {
        hasUnknownDue = hasUnknownDue || fires.contains { $0.due == nil }
        for fire in fires { add(fire.begin, life, thread, recording) }
      }
      if let block = history.blocks[life] { add(block, life, thread, recording) }
      for begin in history.performs[life] ?? [] { add(begin, life, thread, recording) }
      guard recording.lives[Int(life)].kind == .observer else { continue }
      for observer in history.observers where thread.events[Int(observer)].life == life {
        add(observer, life, thread, recording)
      }
    }
    onLoopOnly = onLoopOnly.uniqued()
    onOthers = onOthers.uniqued()
  }

  private mutating func add(
    _ begin: Int32, _ life: Int32, _ thread: RecordedThread, _ recording: Recording
  ) {
    let first = thread.events[Int(begin)]
    let end = first.end ?? thread.events.count
    for event in thread.events[(Int(begin) + 1)..<end] {
      guard let row = EventTable.definition(of: event.kind) else { continue }
      let name = event.life >= 0 ? " \"\(recording.lives[Int(event.life)].name)\"" : ""
      switch event.kind {
      case .runBegin:
        runsTheLoop = true
        onLoopOnly.append("run.begin")
        onOthers.append("run.begin")
      case .timerReschedule where event.life == life: movesItself = true
      default: break
      }
      switch row.role {
      case .setsDue where event.life == life, .ends where event.life == life: break
      case .setsDue, .joins, .leaves, .ends, .defines:
        // Any thread may set the program's marks.
        guard !["task", "service", "interval"].contains(row.object) else { continue }
        if row.kind != .blockCreate { onLoopOnly.append(row.name + name) }
        onOthers.append(row.name + name)
      case .happens where [.sourceSignal, .loopWakeUp, .loopStop].contains(row.kind):
        onOthers.append(row.name + (row.kind == .sourceSignal ? name : ""))
      default: break
      }
    }
  }
}
