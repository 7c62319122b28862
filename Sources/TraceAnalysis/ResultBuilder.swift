import TraceFormat

/// Turns what a replay added up, in time units and ids, into results in nanoseconds and names.
struct ResultBuilder {
  let reader: TraceReader
  let unit: UInt64

  func build(_ replay: borrowing Replay) -> Analysis {
    let threads = replay.stream.threads
    var result = Analysis(trace: facts(replay))
    result.modes = modeResults(replay)
    result.loops = loopResults(replay)
    result.gaps = replay.findings.gaps.map { gap($0, threads) }
    result.busy = replay.findings.busy.map { busy($0, threads) }
    result.gapsOmitted = replay.findings.gapCount - replay.findings.gaps.count
    result.busyOmitted = replay.findings.busyCount - replay.findings.busy.count
    result.timers = timerResults(replay)
    result.notes = notes(result, replay)
    return result
  }

  private func facts(_ replay: borrowing Replay) -> TraceFacts {
    var facts = TraceFacts()
    let first = reader.syncPoints.first
    facts.durationNs = reader.lastTime * unit
    facts.startRealtimeNs = first.map { $0.realtimeNs &- $0.time &* unit }
    facts.captureLevel = reader.header.captureLevel
    facts.timeUnitNs = unit
    facts.hasHighStamps = reader.header.hasHighStamps
    facts.threads = replay.stream.threads.map(definition)
    facts.unknownBlocks = reader.unknownBlocks
    facts.damagedBlocks = reader.damagedBlocks + replay.stream.misplacedBlocks
    facts.clean = reader.isClean && replay.stream.misplacedBlocks == 0
    facts.events = replay.events
    facts.lostEvents = replay.lostEvents
    facts.unknownEvents = replay.unknownEvents
    return facts
  }

  private func definition(_ thread: UInt32) -> ThreadDefinition {
    reader.threads[thread]
      ?? ThreadDefinition(index: thread, osThread: 0, isMain: false, name: "thread \(thread)")
  }

  private func string(_ id: UInt32) -> String? {
    id == 0 ? nil : reader.strings[id]
  }

  private func mode(_ id: UInt8) -> String {
    id == 0 ? Phase.outside.name : reader.modes[id] ?? "mode \(id)"
  }

  private func column(_ column: Int) -> String {
    column == 0
      ? "(outside any run)" : column == ModeClock.columns - 1 ? "(other modes)" : mode(UInt8(column))
  }

  private func loop(_ object: UInt32, _ objects: ObjectTable) -> String {
    string(objects.name(of: object)) ?? "loop \(object)"
  }

  // MARK: Modes and loops

  private func cells(_ replay: borrowing Replay) -> [ModeCell] {
    Array(UnsafeBufferPointer(start: replay.modes.cells, count: replay.modes.count))
  }

  private func modeResults(_ replay: borrowing Replay) -> [ModeResult] {
    let objects = replay.objects
    let threads = replay.stream.threads
    return cells(replay).filter { $0.phases.wrappedSum() > 0 || $0.runs > 0 }.map { cell in
      let isShared = cell.lane < 0
      var result = ModeResult(
        loop: isShared ? "(other)" : loop(cell.loop, objects),
        mode: isShared ? "(other modes)" : mode(cell.mode),
        thread: isShared ? 0 : threads[cell.lane])
      result.timeNs = cell.phases.wrappedSum() &* unit
      result.waitingNs = cell.phases[Phase.waiting.rawValue] &* unit
      result.busyNs = result.timeNs &- result.waitingNs
      result.passes = cell.passes
      for phase in Phase.allCases where cell.phases[phase.rawValue] > 0 {
        result.phasesNs[phase] = cell.phases[phase.rawValue] &* unit
      }
      result.passNs = cell.pass.summary(unitNs: unit)
      result.wakeToCalloutNs = cell.wake.summary(unitNs: unit)
      return result
    }
  }

  private func loopResults(_ replay: borrowing Replay) -> [LoopResult] {
    var results: [LoopResult] = []
    var seen: [(lane: Int, loop: UInt32)] = []
    for cell in cells(replay) where cell.lane >= 0 {
      var at = seen.firstIndex { $0.lane == cell.lane && $0.loop == cell.loop }
      if at == nil {
        seen.append((cell.lane, cell.loop))
        results.append(
          LoopResult(
            loop: loop(cell.loop, replay.objects), thread: definition(replay.stream.threads[cell.lane])))
        at = results.count - 1
      }
      guard let at else { continue }
      let time = cell.phases.wrappedSum()
      let waiting = cell.phases[Phase.waiting.rawValue]
      results[at].timeNs &+= time &* unit
      results[at].waitingNs &+= waiting &* unit
      results[at].busyNs &+= (time &- waiting) &* unit
      results[at].runs += cell.runs
      results[at].nestedRuns += cell.nestedRuns
      results[at].passes += cell.passes
    }
    return results
  }

  // MARK: Gaps and busy intervals

  private func gap(_ found: FoundGap, _ threads: [UInt32]) -> Gap {
    Gap(
      startNs: found.start &* unit, durationNs: (found.end &- found.start) &* unit, after: found.phase,
      mode: mode(found.mode), thread: threads[found.lane],
      callouts: zip(found.callouts.list, found.names).map { entry, name in
        GapCallout(
          kind: calloutKind(entry.kind), name: string(name) ?? "\(calloutKind(entry.kind)) #\(entry.object)",
          object: entry.object, durationNs: entry.duration &* unit)
      }, calloutCount: found.callouts.count, calloutNs: found.callouts.duration &* unit, isOpen: found.isOpen)
  }

  private func calloutKind(_ kind: UInt8) -> String {
    (EventTable.definition(of: EventKind(kind))?.name ?? "kind-\(kind)").replacingSuffix(".begin")
  }

  private func busy(_ found: FoundBusy, _ threads: [UInt32]) -> BusyInterval {
    BusyInterval(
      startNs: found.start &* unit, durationNs: (found.end &- found.start) &* unit,
      thread: threads[found.lane],
      mode: mode(found.mode), outsideNs: found.outside &* unit, isOpen: found.isOpen)
  }

  // MARK: Timers

  private func timerResults(_ replay: borrowing Replay) -> [TimerResult] {
    let classes = replay.timers.classes
    var results: [TimerResult] = []
    for index in 0..<classes.count where classes.classes[index].objects > 0 {
      let row = classes.classes[index]
      let lane = replay.timers.lane(ofLoop: row.key.loop)
      results.append(
        timer(
          row, common: replay.timers.commonModes(loop: row.key.loop),
          thread: lane.map { replay.stream.threads[$0] },
          isShared: index == classes.sharedRow))
    }
    return results
  }

  private func timer(_ row: TimerClass, common: ModeSet, thread: UInt32?, isShared: Bool) -> TimerResult {
    var modeSet = row.key.modes
    if row.key.isCommon { modeSet.formUnion(common) }
    let unnamed = row.key.anonymousObject != 0 ? "timer #\(row.key.anonymousObject)" : "timer"
    return TimerResult(
      name: isShared ? "other" : string(row.name) ?? string(row.key.site) ?? unnamed,
      site: isShared ? "" : string(row.key.site) ?? "", objects: row.objects,
      intervalNs: isShared ? 0 : row.key.intervalNs, modes: isShared ? [] : modeSet.modes.map(mode),
      isCommon: row.key.isCommon, thread: thread, fired: row.fired, manual: row.manual, ledger: ledger(row))
  }

  /// Nil as soon as one fire's due point is unknown: sums would not close.
  private func ledger(_ row: TimerClass) -> TimerLedgerResult? {
    guard row.firedWithoutDue == 0 else { return nil }
    let skipped = row.skipped
    return TimerLedgerResult(
      due: row.fired + skipped + row.withdrawn + row.pending, skipped: skipped, withdrawn: row.withdrawn,
      pending: row.pending, early: row.early, latenessNs: row.lateness.summary(unitNs: unit),
      overdueByModeNs: (0..<ModeClock.columns).filter { row.overdueBy[$0] > 0 }.map {
        (column($0), row.overdueBy[$0] &* unit)
      },
      skippedBy: Dictionary(uniqueKeysWithValues: Cause.allCases.map { ($0, row.skippedBy[$0.rawValue]) }),
      wrongModeBy: (0..<ModeClock.columns).filter { row.wrongModeBy[$0] > 0 }.map {
        (column($0), row.wrongModeBy[$0])
      },
      pendingOverdueNs: row.pendingOverdue &* unit)
  }

  // MARK: Notes

  private func notes(_ result: Analysis, _ replay: borrowing Replay) -> [String] {
    var notes: [String] = []
    if !reader.header.hasHighStamps {
      notes.append(
        "one observer a mode: the cost of other observers stands in waiting or the next phase, not apart")
    }
    if reader.header.captureLevel == .activities {
      notes.append(
        "capture level activities: timers, sources and blocks were not recorded, so lateness is unknown")
    }
    let blind = result.timers.filter { $0.ledger == nil }.count
    if blind > 0 {
      notes.append(
        "\(blind) timer classes have fires whose due points are not in the recording: their lateness is unknown"
      )
    }
    if replay.timers.classes.sharedRow != nil {
      notes.append(
        "more than \(AnalysisLimits.timerClasses) timer classes: the rest stand in the row 'other'")
    }
    if replay.timers.untracked > 0 {
      notes.append(
        "\(replay.timers.untracked) timer events beyond \(AnalysisLimits.liveTimers) live timers were not followed"
      )
    }
    if replay.modes.isOverfull {
      notes.append(
        "more than \(AnalysisLimits.modeRows) modes of loops: the rest stand in the row '(other modes)'")
    }
    return notes
  }
}

extension String {
  fileprivate func replacingSuffix(_ suffix: String) -> String {
    hasSuffix(suffix) ? String(dropLast(suffix.count)) : self
  }
}
