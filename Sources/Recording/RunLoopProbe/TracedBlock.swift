import CRLTraceShims
import CoreFoundation
import Dispatch
import TraceFormat
import TraceRecorder

extension RunLoopTracer {
  /// Queues a block on a loop, as CFRunLoopPerformBlock does. Does not wake a waiting loop.
  public func perform(
    name: String, mode: String = ModeName.default, loop: CFRunLoop = CFRunLoopGetCurrent(),
    block: @escaping () -> Void
  ) {
    perform(name: name, modes: [mode], loop: loop, block: block)
  }

  /// Queues a block for several modes. The block runs once, in the first of them that the loop runs.
  public func perform(
    name: String, modes: [String], loop: CFRunLoop = CFRunLoopGetCurrent(), block: @escaping () -> Void
  ) {
    let attachment = attachment(loop)
    // The block may run at once, so its due time is the time of the call.
    let whereToRun = [rlt_monotonic_ns()] + modes.map { UInt64(recorder.mode($0)) }
    let traced = bracketed(
      name, loop: attachment.object, begin: .blockBegin, whereToRun: whereToRun, block)
    CFRunLoopPerformBlock(loop, CF.modes(modes), traced)
    for mode in modes { attachment.attach(mode: mode) }
  }

  /// Queues a block on the main dispatch queue, which the main loop serves in its common modes.
  public func mainQueue(name: String, block: @escaping @Sendable () -> Void) {
    let traced = bracketed(
      name, loop: attachment(CFRunLoopGetMain()).object, begin: .mainQueueBlockBegin, block)
    let work = Guarded(traced)
    DispatchQueue.main.async { work.object() }
  }

  /// Returns the block with events around it. The block runs once; its object id is released afterwards.
  private func bracketed(
    _ name: String, loop: UInt32, begin: EventKind, whereToRun: [UInt64] = [], _ block: @escaping () -> Void
  ) -> () -> Void {
    let object = recorder.makeObject()
    recorder.emit(
      .blockCreate, object: object, arguments: [UInt64(recorder.string(name)), UInt64(loop)] + whereToRun)
    let recorder = recorder
    let block = mirrored(name, block)
    return {
      recorder.emit(begin, object: object)
      block()
      recorder.emit(begin.end, object: object)
      recorder.release(object: object)
    }
  }
}
