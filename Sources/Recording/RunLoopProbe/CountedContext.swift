import CRLTraceStacks
import SystemSupport
import TraceFormat
import TraceRecorder

/// The callout of a traced item, to which the item's CoreFoundation context points. It records when CoreFoundation
/// has released the item.
///
/// CoreFoundation retains the context once when it creates the timer or source, and also around each callout of a
/// timer. The invalidation causes the last release.
class CountedContext: @unchecked Sendable {
  let object: UInt32
  let handler: () -> Void
  let recorder: TraceRecorder
  /// The event that the item was invalidated, by any code.
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
    rlt_forget_frames(object)
    recorder.release(object: object)
  }
}
