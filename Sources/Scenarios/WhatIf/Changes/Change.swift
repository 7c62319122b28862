/// One change of a program, as `--do` states it.
package struct Change: Equatable, Sendable {
  /// The items that a change is about, by their name.
  package struct Target: Equatable, Sendable {
    package enum Kind: String, Sendable, CaseIterable {
      case callout, timer, source, block, observer
    }
    package var kind: Kind
    package var name: String
  }

  package enum Effect: Equatable, Sendable {
    /// Nothing changes: the fidelity check alone.
    case nothing
    /// The timer is added to this mode, or the block queued for it, instead of its own.
    case mode(String)
    /// The timer is added to this mode as well.
    case anotherMode(String)
    case interval(ns: UInt64)
    case tolerance(ns: UInt64)
    case length(Length)
    /// The callout only hands its work to another thread, which takes `hopNs`.
    case offTheLoop(hopNs: UInt64)
    /// The callout's work is cut into parts, which run as blocks.
    case split(ns: UInt64)
    /// The item does not exist.
    case removed
    /// Signals that follow the previous one sooner than this are delayed and merged.
    case coalesced(periodNs: UInt64)
  }

  package enum Length: Equatable, Sendable {
    case exactly(ns: UInt64)
    case atMost(ns: UInt64)
    case times(Double)
  }

  /// As written.
  package var text: String
  /// Nil for `nothing`.
  package var target: Target?
  package var effect: Effect

  package init(text: String, target: Target?, effect: Effect) {
    self.text = text
    self.target = target
    self.effect = effect
  }

  /// The time that it takes to hand work to another thread, unless a change states it.
  package static let standardHopNs: UInt64 = 50_000
}

extension Change.Effect {
  /// Whether the change moves callouts, or alters the time that they take on the loop.
  var changesCallouts: Bool {
    switch self {
    case .length, .offTheLoop, .split, .removed, .mode, .anotherMode, .interval: true
    case .nothing, .tolerance, .coalesced: false
    }
  }
}
