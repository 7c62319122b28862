import Dispatch
import TraceFormat

/// Names code for a drain, on a thread of its own: rings are emptied while a large symbol table is read, or a symbol that
/// stands for gigabytes is given up. Requests are named in their order. The drain asks and takes, any thread waits.
final class CodeNamer: @unchecked Sendable {
  enum Request: Sendable {
    case image(MappedImage)
    case callout(id: UInt32, CalloutWork, [UInt64], isOwn: Bool, madeAt: [UInt64])
    case site(id: UInt32, [UInt64])
  }

  private struct State {
    var requests: [Request] = []
    var named: [NamedCode] = []
    /// Of `named`, how many the drain has.
    var taken = 0
    var isAtWork = false

    /// A copy in any case: all of an array would share its storage, which goes on being appended to.
    func named(from start: Int) -> [NamedCode] { named[start...].map { $0 } }
  }

  private let state = Locked(State())
  private let makeNaming: @Sendable () -> any CodeNaming
  /// Of who is at work.
  private var naming: (any CodeNaming)?
  private let isIdle = DispatchSemaphore(value: 0)

  /// `makeNaming` is called by the thread that names, when there is something to name.
  init(_ makeNaming: @escaping @Sendable () -> any CodeNaming) { self.makeNaming = makeNaming }

  /// Names them soon; now, where the system has no thread to give.
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

  /// What was named since the last call.
  func take() -> [NamedCode] {
    state.withLock { state in
      defer { state.taken = state.named.count }
      return state.named(from: state.taken)
    }
  }

  /// Waits until all that was asked is named.
  func wait() {
    while state.withLock({ $0.isAtWork }) { _ = isIdle.wait(timeout: .now() + .milliseconds(20)) }
  }

  /// Waits as well, and returns what the drain had not taken when this was called; it takes them all the same.
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
    case .callout(let id, let work, let addresses, let isOwn, let makers):
      return NamedCode(
        id: id, name: naming.name(ofCallout: work, addresses, isOwn: isOwn, madeAt: makers))
    case .site(let id, let addresses):
      return NamedCode(id: id, name: naming.name(ofSite: addresses))
    }
  }
}

/// Code as its addresses, for a recorder without symbols.
final class AddressNaming: CodeNaming {
  func add(_ image: MappedImage) {}

  func name(
    ofCallout work: CalloutWork, _ addresses: [UInt64], isOwn: Bool, madeAt returnAddresses: [UInt64]
  ) -> CodeName {
    CodeName(
      (addresses.first ?? returnAddresses.first).map(hexadecimal) ?? work.text, function: addresses.first,
      makers: returnAddresses)
  }

  func name(ofSite returnAddresses: [UInt64]) -> CodeName {
    CodeName(returnAddresses.map(hexadecimal).joined(separator: " < "), makers: returnAddresses)
  }
}
