import TraceFormat

/// The tracks of an export, in the order in which they were first used.
struct TrackTable {
  private let format: any SliceFormat
  private(set) var count = 0
  private var named: [String: Track] = [:]
  /// Tracks by timer.
  private var overdue: [UInt32: Track] = [:]
  /// Tracks by name, for slices that may overlap: one name can have several tracks. `end`: the end of the last slice.
  private var lanes: [String: [(track: Track, end: UInt64)]] = [:]

  init(_ format: any SliceFormat) { self.format = format }

  private mutating func add(_ name: String, _ kind: Track.Kind) -> Track {
    count += 1
    let track = Track(number: count, name: name, kind: kind)
    format.add(track)
    return track
  }

  /// Creates the track of a thread.
  mutating func thread(_ index: UInt32, _ definition: ThreadDefinition?) -> Track {
    let name = definition?.name ?? ""
    let isMain = definition?.isMain ?? false
    // The ids of virtual threads are 0. Numbers from 1 on tell them apart.
    let id = definition.flatMap { $0.osThread > 0 ? $0.osThread : nil } ?? UInt64(index) + 1
    let shown = !name.isEmpty ? name : isMain ? "main" : "thread \(index)"
    return add(shown, .thread(id: min(id, UInt64(Int64.max)), isMain: isMain))
  }

  mutating func named(_ name: String, _ kind: Track.Kind = .other) -> Track {
    if let known = named[name] { return known }
    let track = add(name, kind)
    named[name] = track
    return track
  }

  /// Returns the track of a timer object: due points of different timers overlap.
  mutating func overdue(_ timer: UInt32, _ name: String) -> Track {
    if let known = overdue[timer] { return known }
    let track = add("overdue: \(name)", .other)
    overdue[timer] = track
    return track
  }

  /// Returns a track of this name that is free from `start` on, and reserves it. Callers add slices in the order of
  /// their starts or of their ends.
  mutating func lane(_ name: String, from start: UInt64, to end: UInt64) -> Track {
    if let place = lanes[name]?.firstIndex(where: { $0.end <= start }) {
      lanes[name]?[place].end = end
      return lanes[name]?[place].track ?? add(name, .other)
    }
    let track = add(name, .other)
    lanes[name, default: []].append((track, end))
    return track
  }
}
