import CoreFoundation
import TraceFormat
import TraceRecorder

/// A CFRunLoopSource whose life, signals and callouts are recorded.
///
/// Create it with `RunLoopTracer.source0` or `source1`. Thread-safe, like CFRunLoopSource.
public final class TracedSource: @unchecked Sendable {
  /// The underlying source. Calls on it work but are not recorded.
  public let source: CFRunLoopSource
  private let object: UInt32
  private let tracer: RunLoopTracer

  fileprivate init(source: CFRunLoopSource, object: UInt32, tracer: RunLoopTracer) {
    self.source = source
    self.object = object
    self.tracer = tracer
  }

  /// Adds the source to a mode of a loop (by default the calling thread's). Use `ModeName.common` for the common
  /// modes.
  public func add(mode: String, loop: CFRunLoop = CFRunLoopGetCurrent()) {
    let attachment = tracer.attachment(loop)
    tracer.recorder.emit(
      .sourceAdd, object: object, UInt64(tracer.recorder.mode(mode)), UInt64(attachment.object))
    CFRunLoopAddSource(loop, source, CF.mode(mode))
    attachment.attach(mode: mode)
  }

  /// Removes the source from a mode of a loop, by default the calling thread's.
  public func remove(mode: String, loop: CFRunLoop = CFRunLoopGetCurrent()) {
    CFRunLoopRemoveSource(loop, source, CF.mode(mode))
    tracer.recorder.emit(.sourceRemove, object: object, UInt64(tracer.recorder.mode(mode)))
  }

  /// Signals a source0, from any thread. Does not wake a waiting loop; see `RunLoopTracer.wakeUp`.
  public func signal() {
    tracer.recorder.emit(.sourceSignal, object: object)
    CFRunLoopSourceSignal(source)
  }

  /// Invalidates the source permanently.
  public func invalidate() { CFRunLoopSourceInvalidate(source) }
}

/// The callout of a traced source.
final class SourceCallout: CountedContext, @unchecked Sendable {
  private let begin: EventKind
  let port: CF.Port

  init(_ recorder: TraceRecorder, begin: EventKind, port: CF.Port, handler: @escaping () -> Void) {
    self.begin = begin
    self.port = port
    super.init(recorder, ending: .sourceInvalidate, handler: handler)
  }

  static func from(_ info: UnsafeMutableRawPointer?) -> SourceCallout {
    // CoreFoundation passes back the non-null `info` of the context.
    unsafe Unmanaged<SourceCallout>.fromOpaque(info!).takeUnretainedValue()
  }

  func perform() {
    recorder.emit(begin, object: object)
    handler()
    recorder.emit(begin.end, object: object)
  }
}

extension RunLoopTracer {
  /// Makes a source0, which is performed in the pass after it was signalled.
  public func source0(
    name: String, order: CFIndex = 0, file: StaticString = #fileID, line: UInt = #line,
    perform: @escaping () -> Void
  ) -> TracedSource {
    let callout = SourceCallout(recorder, begin: .source0Begin, port: 0, handler: mirrored(name, perform))
    var context = unsafe CFRunLoopSourceContext()
    unsafe context.info = Unmanaged.passUnretained(callout).toOpaque()
    unsafe context.retain = CountedContext.retain
    unsafe context.release = CountedContext.release
    unsafe context.perform = { unsafe SourceCallout.from($0).perform() }
    let source = withExtendedLifetime(callout) { unsafe CFRunLoopSourceCreate(nil, order, &context)! }
    return register(source, callout, name, version: 0, order: order, site: "\(file):\(line)")
  }

  /// Makes a source1, which is performed when `port` is readable. On Linux, `port` is a file descriptor (such as an
  /// eventfd or a timerfd) from which the loop reads 8 bytes before it performs the source.
  public func source1(
    name: String, port: Int32, order: CFIndex = 0, file: StaticString = #fileID, line: UInt = #line,
    perform: @escaping () -> Void
  ) -> TracedSource {
    let callout = SourceCallout(
      recorder, begin: .source1Begin, port: CF.Port(port), handler: mirrored(name, perform))
    let source = withExtendedLifetime(callout) {
      unsafe CF.source1(
        order: order, info: Unmanaged.passUnretained(callout).toOpaque(), retain: CountedContext.retain,
        release: CountedContext.release)!
    }
    return register(source, callout, name, version: 1, order: order, site: "\(file):\(line)")
  }

  private func register(
    _ source: CFRunLoopSource, _ callout: SourceCallout, _ name: String, version: UInt64, order: CFIndex,
    site: String
  ) -> TracedSource {
    recorder.emit(
      .sourceCreate, object: callout.object, UInt64(recorder.string(name)), version,
      UInt64(bitPattern: Int64(order)), UInt64(recorder.string(site)))
    return TracedSource(source: source, object: callout.object, tracer: self)
  }
}
