import CRLTraceLoops
import CRLTraceShims
import CoreFoundation
import SystemSupport
import TraceRecorder

/// The two observers on each mode of one run loop, and the search for new modes.
///
/// CFRunLoop does not announce new modes, so each Entry searches for them, at most every `rescanNs`. A mode that is
/// created and run without an Entry of a known mode in between is not recorded: a documented limit of this way of
/// recording.
final class LoopAttachment: @unchecked Sendable {
  static let rescanNs: UInt64 = 20_000_000

  let loop: CFRunLoop
  /// The loop's object id in the trace.
  let object: UInt32
  private let recorder: TraceRecorder
  private let state = Locked(State())
  /// The time from which an Entry searches for new modes; see rltrace_observe.h.
  private let rescanAtNs = AtomicWord()

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
    recorder.emit(.loopCreate, mode: 0, object: object, UInt64(recorder.string(name)))
    rescan()
  }

  /// Attaches observers to modes that have none yet, and records which modes are common.
  func rescan() {
    rescanAtNs.value = rlt_coarse_ns() + LoopAttachment.rescanNs
    for name in CF.modes(of: loop) { attach(mode: name) }
    for name in commonModes() { noteCommon(mode: name) }
  }

  /// Attaches observers to one mode. The mode must exist, because adding an observer creates it.
  func attach(mode name: String) {
    guard name != ModeName.common else { return }
    let isNew = state.withLock { state in
      guard !state.isDetached else { return false }
      return state.modes.insert(name).inserted
    }
    guard isNew else { return }
    let made = makeObservers(mode: name)
    state.withLock { $0.observers += made }
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

  private func makeObservers(mode name: String) -> [Guarded<CFRunLoopObserver>] {
    var search = unsafe rlt_mode_search(
      moment_ns: rescanAtNs.address,
      look: { unsafe Unmanaged<LoopAttachment>.fromOpaque($0!).takeUnretainedValue().rescan() },
      release: { unsafe Unmanaged<LoopAttachment>.fromOpaque($0!).release() },
      owner: unsafe Unmanaged.passRetained(self).toOpaque())
    let loop = unsafe Unmanaged.passUnretained(loop).toOpaque()
    return withExtendedLifetime(CF.mode(name)) { mode in
      unsafe withUnsafeTemporaryAllocation(of: UnsafeMutableRawPointer?.self, capacity: 2) { made in
        unsafe rlt_observe_mode(
          loop, CF.pointer(mode), object, recorder.mode(name), &search, made.baseAddress)
        return unsafe made.compactMap {
          unsafe $0.map { unsafe Guarded(Unmanaged<CFRunLoopObserver>.fromOpaque($0).takeRetainedValue()) }
        }
      }
    }
  }

  /// Returns the common modes, for which CFRunLoop has no call. An observer that is added to "the common modes" is in
  /// exactly those modes. Observers do not keep a mode from being empty, and this one does not fire: the loop's
  /// thread is in this callout, or the observer is removed before the loop's next activity.
  private func commonModes() -> [String] {
    guard let probe = unsafe CFRunLoopObserverCreate(nil, 0, true, 0, { _, _, _ in }, nil) else {
      return []
    }
    CFRunLoopAddObserver(loop, probe, CF.mode(ModeName.common))
    defer { CFRunLoopObserverInvalidate(probe) }
    return CF.modes(of: loop).filter { CFRunLoopContainsObserver(loop, probe, CF.mode($0)) }
  }
}
