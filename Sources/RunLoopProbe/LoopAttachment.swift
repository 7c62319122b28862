import CRLTraceShims
import CoreFoundation
import TraceFormat
import TraceRecorder

/// The two observers on each mode of one run loop, and the search for modes that were born later.
///
/// CFRunLoop tells nobody about a new mode, so each Entry looks for some, at most every `rescanNs`. A mode that
/// is born and run without an Entry of a known mode in between stays unseen: a stated limit of this way of recording.
final class LoopAttachment: @unchecked Sendable {
  static let rescanNs: UInt64 = 20_000_000

  let loop: CFRunLoop
  /// The loop's object id in the trace.
  let object: UInt32
  private let recorder: TraceRecorder
  private let state = Locked(State())
  /// Read by the observer callout, see rltrace_observe.h.
  private let rescanAtNs: UnsafeMutablePointer<UInt64>

  private struct State {
    var observers: [Guarded<CFRunLoopObserver>] = []
    var modes: Set<String> = []
    var commonModes: Set<String> = []
    var isDetached = false
  }

  init(loop: CFRunLoop, name: String, recorder: TraceRecorder) {
    self.loop = loop
    self.recorder = recorder
    object = recorder.makeObject()
    rescanAtNs = .allocate(capacity: 1)
    rescanAtNs.initialize(to: 0)
    recorder.emit(.loopCreate, mode: 0, object: object, UInt64(recorder.string(name)))
    rescan()
  }

  deinit { rescanAtNs.deallocate() }

  /// Attaches observers to modes that have none yet, and tells which modes are common.
  func rescan() {
    rescanAtNs.pointee = rlt_coarse_ns() + LoopAttachment.rescanNs
    for name in CF.modes(of: loop) { attach(mode: name) }
    for name in commonModes() { noteCommon(mode: name) }
  }

  /// Attaches to one mode. Only modes that exist: adding an observer creates a mode.
  func attach(mode name: String) {
    guard name != ModeName.common else { return }
    let isNew = state.withLock { state in
      guard !state.isDetached else { return false }
      return state.modes.insert(name).inserted
    }
    guard isNew else { return }
    for isHigh in [false, true] {
      guard let observer = makeObserver(mode: name, isHigh: isHigh) else { continue }
      CFRunLoopAddObserver(loop, observer, CF.mode(name))
      let kept = Guarded(observer)
      state.withLock { $0.observers.append(kept) }
    }
  }

  func noteCommon(mode name: String) {
    guard state.withLock({ $0.commonModes.insert(name).inserted }) else { return }
    recorder.emit(.loopAddCommonMode, mode: 0, object: object, UInt64(recorder.mode(name)))
  }

  func detach() {
    let observers = state.withLock { state in
      state.isDetached = true
      defer { state.observers = [] }
      return state.observers
    }
    for observer in observers { CFRunLoopObserverInvalidate(observer.object) }
  }

  private func makeObserver(mode name: String, isHigh: Bool) -> CFRunLoopObserver? {
    let info = UnsafeMutablePointer<rlt_observer_info>.allocate(capacity: 1)
    info.initialize(
      to: rlt_observer_info(
        loop: object, mode: recorder.mode(name), is_high: isHigh ? 1 : 0, reserved: (0, 0),
        rescan_at_ns: rescanAtNs,
        rescan: { context in
          guard let context else { return }
          Unmanaged<LoopAttachment>.fromOpaque(context).takeUnretainedValue().rescan()
        },
        // Released with the observer, by its context's release callback.
        rescan_context: Unmanaged.passRetained(self).toOpaque()))
    return CF.observer(order: isHigh ? CFIndex.max : CFIndex.min, callout: rlt_observe, info: info) { info in
      guard let info else { return }
      let pointer = UnsafeMutableRawPointer(mutating: info).assumingMemoryBound(to: rlt_observer_info.self)
      Unmanaged<LoopAttachment>.fromOpaque(pointer.pointee.rescan_context).release()
      pointer.deallocate()
    }
  }

  /// CFRunLoop has no call that lists the common modes. An observer added to "the common modes" is in exactly
  /// those, and observers neither keep a mode from being empty nor fire here (the loop's thread is in this
  /// callout, or the observer is gone before its next activity at the latest).
  private func commonModes() -> [String] {
    guard let probe = CF.observer(order: 0, callout: { _, _, _ in }, info: nil, release: nil) else {
      return []
    }
    CFRunLoopAddObserver(loop, probe, CF.mode(ModeName.common))
    defer { CFRunLoopObserverInvalidate(probe) }
    return CF.modes(of: loop).filter { CFRunLoopContainsObserver(loop, probe, CF.mode($0)) }
  }
}
