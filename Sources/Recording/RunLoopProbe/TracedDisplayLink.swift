#if canImport(QuartzCore) && !os(watchOS)
import CRLTraceLoops
import CRLTraceShims
import CRLTraceStacks
import CoreFoundation
import QuartzCore
import TraceFormat
import TraceRecorder

/// A display link as a frame source: a frame is due at the link's `timestamp`, and should be presented at its
/// `targetTimestamp`.
///
/// Make it with `RunLoopTracer.frames(_:name:modes:)`. In the trace it is a timer. Use it on the link's thread only.
/// It is compiled for Apple's systems, but has not run there.
@available(macOS 14, *)
public final class TracedDisplayLink {
  private let tracer: RunLoopTracer
  private let name: String
  private let modes: [String]
  private let site: String
  /// The link retains its target, which may own this object.
  private weak var link: CADisplayLink?
  /// The timer's id in the trace; 0 = there is none.
  private var object: UInt32 = 0
  private var intervalNs: UInt64 = 0

  init(_ link: CADisplayLink, _ tracer: RunLoopTracer, name: String, modes: [String], site: String) {
    self.link = link
    self.tracer = tracer
    self.name = name
    self.modes = modes
    self.site = site
  }

  deinit { end() }

  /// Calls `draw` and records it as a frame. Call this in the link's callout, around all of its work.
  public func frame<Result>(_ draw: () throws -> Result) rethrows -> Result {
    let recorder = tracer.recorder
    guard recorder.isRecording, let link else { return try draw() }
    let dueNs = rlt_interval_ns(link.timestamp)
    follow(rlt_interval_ns(link.targetTimestamp - link.timestamp), dueNs: dueNs)
    rlt_emit_timer_begin(EventKind.timerDue.rawValue, EventKind.timerBegin.rawValue, object, dueNs)
    defer { recorder.emit(.timerEnd, object: object) }
    return try draw()
  }

  /// Records that no frames are due until the next one. Call this when the link is paused or invalidated.
  public func end() {
    guard object != 0 else { return }
    rlt_forget_frames(object)
    tracer.recorder.emit(.timerInvalidate, object: object)
    tracer.recorder.release(object: object)
    object = 0
  }

  /// Begins a timer of the trace, unless the frames still have its interval. The system may change the frame rate.
  private func follow(_ newNs: UInt64, dueNs: UInt64) {
    let difference = max(newNs, intervalNs) - min(newNs, intervalNs)
    guard object == 0 || difference > intervalNs / 8 else { return }
    end()
    intervalNs = newNs
    let recorder = tracer.recorder
    let loop = tracer.attachment(CFRunLoopGetCurrent())
    object = recorder.makeObject()
    recorder.emit(
      .timerCreate, object: object, UInt64(recorder.string(name)), newNs, 0, dueNs,
      UInt64(recorder.string(site)))
    recorder.emit(.timerFrames, object: object)
    for mode in modes {
      recorder.emit(.timerAdd, object: object, UInt64(recorder.mode(mode)), UInt64(loop.object))
    }
    rlt_follow_frames(object, newNs)
  }
}

extension RunLoopTracer {
  /// Declares a display link a frame source.
  ///
  /// - Parameters:
  ///   - link: The link. Its callout must call `frame` of the result.
  ///   - name: The name in reports.
  ///   - modes: The modes that the program adds the link to.
  @available(macOS 14, *)
  public func frames(
    _ link: CADisplayLink, name: String, modes: [String] = [ModeName.common], file: StaticString = #fileID,
    line: UInt = #line
  ) -> TracedDisplayLink {
    TracedDisplayLink(link, self, name: name, modes: modes, site: "\(file):\(line)")
  }
}
#endif
