import TraceFormat
import TraceReplay
import TraceResults

extension EndResult {
  /// Reads the end of the process from the trace.
  package init(_ reader: TraceReader, noted: NotedEnd?, _ scale: TimeScale) {
    self.init()
    func fact(_ key: String) -> String? { reader.info.first { $0.key == key }?.value }
    let lastNs = scale.ns(Moment(reader.lastTime))
    timeNs = lastNs
    if let noted {
      timeNs = scale.ns(noted.time)
      if noted.signal > 0 {
        kind = noted.isByRecorder ? .stopped : .signalled
        signal = noted.signal
      } else if noted.status >= 0 {
        kind = .exited
        status = UInt64(noted.status)
      } else {
        kind = .ended
      }
    } else if let end = fact(InfoEntry.goesOn).flatMap(TraceEnd.init) {
      kind = end == .executed ? .executed : .running
    } else if fact(InfoEntry.snapshot) != nil {
      kind = .running
    } else if fact(InfoEntry.endUnknown) != nil {
      kind = .unknown
    } else {
      timeNs = nil
    }
  }

  package init(_ reader: TraceReader) {
    self.init(reader, noted: NotedEnd.read(reader), TimeScale(reader.header.timeUnit))
  }
}

extension ResultBuilder {
  /// Returns the end of the process. `callouts` were running at the end of the span.
  func end(_ callouts: [RunningCallout], _ replay: borrowing Replay) -> EndResult {
    var end = EndResult(reader, noted: replay.stream.notedEnd, scale)
    // A trace without information about the end has none about the end of a span either.
    guard end.kind != .notRecorded || to >= Moment(reader.lastTime) else { return end }
    if let time = end.timeNs, time < ns(from) || time > ns(to) {
      end = EndResult()
      end.kind = .notInSpan
      return end
    }
    end.callouts = callouts
    end.calloutsOmitted = replay.runningOmitted
    return end
  }

  /// Returns the callouts that were running at the end of the span.
  func openCallouts(_ result: Analysis, _ replay: borrowing Replay) -> [RunningCallout] {
    replay.runningAtEnd.map { running in
      with(RunningCallout()) { it in
        it.thread = replay.stream.threads[running.lane].rawValue
        it.kind = names.calloutKind(running.kind)
        it.name = names.callout(
          running.kind, running.name, object: running.object == .none ? nil : running.object)
        it.depth = running.depth
        it.startNs = ns(running.begin)
        it.durationNs = ns(max(to, running.begin)) &- it.startNs
        if running.depth == 0, let gap = result.gaps.first(where: { $0.isOpen && $0.thread == it.thread }),
          let stall = result.stall(of: gap), it.durationNs >= stall.durationNs / 2
        {
          it.function = stall.place
        }
      }
    }
  }
}
