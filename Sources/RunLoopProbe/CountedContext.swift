import TraceFormat
import TraceRecorder

/// What the CoreFoundation context of a traced item points to: its callout. It learns when CoreFoundation has let go of it.
///
/// CoreFoundation retains a context once when the timer or source is made, and a timer's around each of its
/// callouts. The last release comes with the invalidation.
class CountedContext: @unchecked Sendable {
  let object: UInt32
  let handler: () -> Void
  let recorder: TraceRecorder
  /// Says that the item was invalidated, by whomever.
  private let ending: EventKind
  private let holds = AtomicWord()

  init(_ recorder: TraceRecorder, ending: EventKind, handler: @escaping () -> Void) {
    object = recorder.makeObject()
    self.recorder = recorder
    self.ending = ending
    self.handler = handler
  }

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

  private func wasReleased() {
    recorder.emit(ending, object: object)
    recorder.release(object: object)
  }
}
