import TraceFormat

/// An object that a CoreFoundation context points to, and that learns when CoreFoundation has let go of it.
///
/// CoreFoundation retains a context once when the timer or source is made, and a timer's around each of its
/// callouts. The last release comes with the invalidation.
class CountedContext: @unchecked Sendable {
  private let holds = AtomicWord()

  /// Called once, on the thread that let go.
  func wasReleased() {}

  static let retain: @convention(c) (UnsafeRawPointer?) -> UnsafeRawPointer? = { info in
    // CoreFoundation passes back the non-null `info` of the context.
    let context = unsafe Unmanaged<CountedContext>.fromOpaque(info!)
    _ = unsafe context.takeUnretainedValue().holds.add(1)
    return unsafe UnsafeRawPointer(context.retain().toOpaque())
  }

  static let release: @convention(c) (UnsafeRawPointer?) -> Void = { info in
    let context = unsafe Unmanaged<CountedContext>.fromOpaque(info!)
    let object = unsafe context.takeUnretainedValue()
    if object.holds.subtract(1) == 0 { object.wasReleased() }
    unsafe context.release()
  }
}
