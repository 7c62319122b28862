import TraceFormat

/// The time of an activity, with the mode and the loop of its run.
struct Stamp {
  var time: Moment
  var mode: ModeID
  var loop: LoopID
}

/// Typed access to the columns of decoded events. Valid as long as the events are.
@safe struct EventColumns {
  private let times: UnsafePointer<UInt64>
  private let kinds: UnsafePointer<UInt8>
  private let modes: UnsafePointer<UInt8>
  private let objects: UnsafePointer<UInt32>

  @inline(__always)
  init(_ events: DecodedEvents) {
    // SAFETY: all have `events.count` elements, and callers stay within their segment.
    unsafe times = UnsafePointer(events.times)
    unsafe kinds = UnsafePointer(events.kinds)
    unsafe modes = UnsafePointer(events.modes)
    unsafe objects = UnsafePointer(events.objects)
  }

  @inline(__always) func time(_ index: Int) -> Moment { unsafe Moment(times[index]) }
  @inline(__always) func kind(_ index: Int) -> EventKind { unsafe EventKind(kinds[index]) }
  /// Returns the kinds of 32 events, which must exist.
  @inline(__always) func kinds(from index: Int) -> SIMD4<UInt64> {
    unsafe UnsafeRawPointer(kinds + index).loadUnaligned(as: SIMD4<UInt64>.self)
  }
  /// Returns the kinds of 8 events, which must exist.
  @inline(__always) func word(ofKindsFrom index: Int) -> UInt64 {
    unsafe UnsafeRawPointer(kinds + index).loadUnaligned(as: UInt64.self)
  }
  /// Returns the modes of 32 events, which must exist.
  @inline(__always) func modes(from index: Int) -> SIMD4<UInt64> {
    unsafe UnsafeRawPointer(modes + index).loadUnaligned(as: SIMD4<UInt64>.self)
  }
  /// Returns how many kinds from `index` on equal those from `other` on, at most `most`.
  @inline(__always) func equalKinds(from index: Int, _ other: Int, most: Int) -> Int {
    unsafe EqualBytes.length(kinds + index, kinds + other, most: most)
  }
  /// Returns how many of the `most` events from `index` on have the first one's mode.
  @inline(__always) func equalModes(from index: Int, most: Int) -> Int {
    unsafe EqualBytes.lengthOfRun(modes + index, most: most)
  }
  func times(from index: Int) -> UnsafePointer<UInt64> { unsafe times + index }
  @inline(__always) func mode(_ index: Int) -> ModeID { unsafe ModeID(modes[index]) }
  @inline(__always) func object(_ index: Int) -> ObjectID { unsafe ObjectID(objects[index]) }
  @inline(__always) func stamp(_ index: Int) -> Stamp {
    Stamp(time: time(index), mode: mode(index), loop: LoopID(object(index)))
  }
}
