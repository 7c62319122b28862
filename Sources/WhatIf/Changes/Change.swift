/// One change of a program, as `--do` states it.
public struct Change: Equatable, Sendable {
  /// The items that a change is about, by their name.
  public struct Target: Equatable, Sendable {
    public enum Kind: String, Sendable, CaseIterable {
      case callout, timer, source, block, observer
    }
    public var kind: Kind
    public var name: String
  }

  public enum Effect: Equatable, Sendable {
    /// Nothing changes: the fidelity check alone.
    case nothing
    /// The timer is added to this mode instead of its own.
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

  public enum Length: Equatable, Sendable {
    case exactly(ns: UInt64)
    case atMost(ns: UInt64)
    case times(Double)
  }

  /// As written.
  public var text: String
  /// Nil for `nothing`.
  public var target: Target?
  public var effect: Effect

  public init(text: String, target: Target?, effect: Effect) {
    self.text = text
    self.target = target
    self.effect = effect
  }

  /// The time that it takes to hand work to another thread, unless a change states it.
  public static let standardHopNs: UInt64 = 50_000
}

extension Change.Effect {
  /// Whether the change alters the time that callouts take on the loop.
  var changesLengths: Bool {
    switch self {
    case .length, .offTheLoop, .split, .removed: true
    case .nothing, .mode, .anotherMode, .interval, .tolerance, .coalesced: false
    }
  }
}
