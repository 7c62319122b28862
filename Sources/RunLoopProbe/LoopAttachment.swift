import CRLTraceLoops
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
  /// The moment from which an Entry looks for new modes, see rltrace_observe.h.
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

  /// Attaches observers to modes that have none yet, and tells which modes are common.
  func rescan() {
    rescanAtNs.value = rlt_coarse_ns() + LoopAttachment.rescanNs
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

  /// CFRunLoop has no call that lists the common modes. An observer added to "the common modes" is in exactly
  /// those, and observers neither keep a mode from being empty nor fire here (the loop's thread is in this
  /// callout, or the observer is gone before its next activity at the latest).
  private func commonModes() -> [String] {
    guard let probe = unsafe CFRunLoopObserverCreate(nil, 0, true, 0, { _, _, _ in }, nil) else {
      return []
    }
    CFRunLoopAddObserver(loop, probe, CF.mode(ModeName.common))
    defer { CFRunLoopObserverInvalidate(probe) }
    return CF.modes(of: loop).filter { CFRunLoopContainsObserver(loop, probe, CF.mode($0)) }
  }
}
