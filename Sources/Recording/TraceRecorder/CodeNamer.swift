import Dispatch
import SystemSupport
import TraceFormat

/// Names code for a drain on a separate thread. The drain keeps emptying rings while a large symbol table is read, or
/// while the namer gives up on a symbol whose name would take gigabytes. Requests are processed in order. The drain
/// calls `ask` and `take`; any thread may call `wait`.
final class CodeNamer: @unchecked Sendable {
  enum Request: Sendable {
    case image(MappedImage)
    case callout(id: UInt32, CalloutWork, [UInt64], ownCount: Int, madeAt: [UInt64])
    case site(id: UInt32, [UInt64])
  }

  private struct State {
    var requests: [Request] = []
    var named: [NamedCode] = []
    /// How many of `named` the drain has taken.
    var taken = 0
    var isAtWork = false

    /// Always copies. A slice of the whole array would share its storage, and the array keeps growing.
    func named(from start: Int) -> [NamedCode] { named[start...].map { $0 } }
  }

  private let state = Locked(State())
  private let makeNaming: @Sendable () -> any CodeNaming
  /// Used only by the thread that is naming.
  private var naming: (any CodeNaming)?
  private let isIdle = DispatchSemaphore(value: 0)

  /// Creates a namer. The naming thread calls `makeNaming` when there is something to name.
  init(_ makeNaming: @escaping @Sendable () -> any CodeNaming) { self.makeNaming = makeNaming }

  /// Queues requests. Processes them at once if the system cannot start a thread.
  func ask(_ requests: [Request]) {
    guard !requests.isEmpty else { return }
    let mustStart = state.withLock { state in
      state.requests += requests
      defer { state.isAtWork = true }
      return !state.isAtWork
    }
    guard mustStart else { return }
    do { try NativeThread("rltrace-names") { self.work() }.detach() } catch { work() }
  }

  /// Returns the names made since the last call.
  func take() -> [NamedCode] {
    state.withLock { state in
      defer { state.taken = state.named.count }
      return state.named(from: state.taken)
    }
  }

  /// Waits until all requests are processed.
  func wait() {
    while state.withLock({ $0.isAtWork }) { _ = isIdle.wait(timeout: .now() + .milliseconds(20)) }
  }

  /// Returns a closure that waits and then returns the names that the drain had not taken when this method was
  /// called. The drain still takes these names.
  func untaken() -> @Sendable () -> [NamedCode] {
    let taken = state.withLock { $0.taken }
    return { [self] in
      wait()
      return state.withLock { $0.named(from: taken) }
    }
  }

  private func work() {
    while true {
      let requests = state.withLock { state in
        defer { state.requests = [] }
        state.isAtWork = !state.requests.isEmpty
        return state.requests
      }
      guard !requests.isEmpty else { break }
      let naming = naming ?? makeNaming()
      self.naming = naming
      for request in requests {
        guard let name = CodeNamer.name(request, naming) else { continue }
        state.withLock { $0.named.append(name) }
      }
    }
    isIdle.signal()
  }

  static func name(_ request: Request, _ naming: any CodeNaming) -> NamedCode? {
    switch request {
    case .image(let image):
      naming.add(image)
      return nil
    case .callout(let id, let work, let addresses, let ownCount, let makers):
      return NamedCode(
        id: id, name: naming.name(ofCallout: work, addresses, ownCount: ownCount, madeAt: makers))
    case .site(let id, let addresses):
      return NamedCode(id: id, name: naming.name(ofSite: addresses))
    }
  }
}

/// Names code by its addresses, for a recorder without symbols.
final class AddressNaming: CodeNaming {
  func add(_ image: MappedImage) {}

  func name(
    ofCallout work: CalloutWork, _ addresses: [UInt64], ownCount: Int, madeAt returnAddresses: [UInt64]
  ) -> CodeName {
    CodeName(
      (addresses.first ?? returnAddresses.first).map(hexadecimal) ?? work.text, function: addresses.first,
      makers: returnAddresses)
  }

  func name(ofSite returnAddresses: [UInt64]) -> CodeName {
    CodeName(returnAddresses.map(hexadecimal).joined(separator: " < "), makers: returnAddresses)
  }
}
