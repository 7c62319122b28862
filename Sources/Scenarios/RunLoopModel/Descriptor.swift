/// An object that a loop can wait for: an event or timer descriptor of the kernel.
final class Descriptor {
  /// The wait sets that contain it.
  fileprivate var sets: [WaitSet] = []
  /// The set of the wait that is under way, for the main queue.
  fileprivate var waiting: WaitSet?
  fileprivate(set) var isReadable = false

  /// Makes it readable. Wait sets queue it after the descriptors that are already ready.
  func write() {
    isReadable = true
    for set in sets { set.queue(self) }
    waiting?.queue(self)
  }

  /// Acknowledges it.
  func read() { isReadable = false }
}

/// The descriptors that a mode waits for, edge-triggered. They are taken one at a time, in the order in which they
/// became ready (epoll(7)).
final class WaitSet {
  /// `isEarly`: it became ready while the set was only assumed to exist.
  private var ready: [(descriptor: Descriptor, isEarly: Bool)] = []
  /// Whether the set may not exist yet. A set that is made later queues the descriptors that are ready by then anew, in
  /// an order of its own.
  var isAssumed = false
  /// How often `take` chose between descriptors whose order depends on when the set was made.
  private(set) var unknownOrders = 0

  func insert(_ descriptor: Descriptor) {
    descriptor.sets.append(self)
    if descriptor.isReadable { queue(descriptor) }
  }

  func remove(_ descriptor: Descriptor) {
    descriptor.sets.removeAll { $0 === self }
    ready.removeAll { $0.descriptor === descriptor }
  }

  /// Adds a descriptor to the set until `endWait`.
  func beginWait(for descriptor: Descriptor) {
    descriptor.waiting = self
    if descriptor.isReadable { queue(descriptor) }
  }

  func endWait(for descriptor: Descriptor) {
    descriptor.waiting = nil
    if !ready.isEmpty { ready.removeAll { $0.descriptor === descriptor } }
  }

  fileprivate func queue(_ descriptor: Descriptor) {
    if !ready.contains(where: { $0.descriptor === descriptor }) { ready.append((descriptor, isAssumed)) }
  }

  var hasReadable: Bool { ready.contains(where: \.descriptor.isReadable) }

  /// Returns the next readable descriptor and reads it; nil when there is none. Drops those that were read elsewhere
  /// meanwhile.
  func take() -> Descriptor? {
    while !ready.isEmpty {
      let (first, isEarly) = ready.removeFirst()
      if first.isReadable {
        if isEarly, hasReadable { unknownOrders += 1 }
        first.read()
        return first
      }
    }
    return nil
  }
}

/// A descriptor that becomes readable at a given time.
final class TimerDescriptor {
  let descriptor = Descriptor()
  private let clock: VirtualClock
  private var armed: VirtualClock.Ticket?
  private lazy var expire: () -> Void = { [unowned self] in
    armed = nil
    descriptor.write()
  }

  init(clock: VirtualClock) { self.clock = clock }

  /// Sets the time again, and forgets an expiry that was not read.
  func arm(at time: UInt64) {
    descriptor.read()
    if let armed { clock.cancel(armed) }
    armed = nil
    guard time > clock.now else { return descriptor.write() }
    armed = clock.schedule(at: time, .timer, expire)
  }
}
