import TraceFormat

/// When an activity is stamped, and of which run.
struct Stamp {
  var time: Moment
  var mode: ModeID
  var loop: LoopID
}

/// The columns of decoded events, as what they mean. Valid as long as the events are in hand.
@safe struct EventColumns {
  private let times: UnsafePointer<UInt64>
  private let kinds: UnsafePointer<UInt8>
  private let modes: UnsafePointer<UInt8>
  private let objects: UnsafePointer<UInt32>

  @inline(__always)
  init(_ events: DecodedEvents) {
    // SAFETY: all have `events.count` elements, and whoever replays a segment stays within it.
    unsafe times = UnsafePointer(events.times)
    unsafe kinds = UnsafePointer(events.kinds)
    unsafe modes = UnsafePointer(events.modes)
    unsafe objects = UnsafePointer(events.objects)
  }

  @inline(__always) func time(_ index: Int) -> Moment { unsafe Moment(times[index]) }
  @inline(__always) func kind(_ index: Int) -> EventKind { unsafe EventKind(kinds[index]) }
  /// The kinds of 32 events, which there must be.
  @inline(__always) func kinds(from index: Int) -> SIMD4<UInt64> {
    unsafe UnsafeRawPointer(kinds + index).loadUnaligned(as: SIMD4<UInt64>.self)
  }
  /// The kinds of 8 events, which there must be.
  @inline(__always) func word(ofKindsFrom index: Int) -> UInt64 {
    unsafe UnsafeRawPointer(kinds + index).loadUnaligned(as: UInt64.self)
  }
  /// The modes of 32 events, which there must be.
  @inline(__always) func modes(from index: Int) -> SIMD4<UInt64> {
    unsafe UnsafeRawPointer(modes + index).loadUnaligned(as: SIMD4<UInt64>.self)
  }
  /// How many kinds from `index` on, `most` at the most, are those from `other` on.
  @inline(__always) func equalKinds(from index: Int, _ other: Int, most: Int) -> Int {
    unsafe EqualBytes.length(kinds + index, kinds + other, most: most)
  }
  /// How many events from `index` on, of `most`, are of the first one's mode.
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
