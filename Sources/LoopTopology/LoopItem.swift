import RunLoopVocabulary

/// A source, an observer or a timer. What its description does not say is nil.
public struct LoopItem: Sendable, Equatable {
  public enum Kind: String, Sendable, CaseIterable, Named {
    /// Its version is not known.
    case source
    case source0, source1, observer, timer

    public var name: String { rawValue }

    var isSource: Bool { self == .source || self == .source0 || self == .source1 }
  }

  public package(set) var kind: Kind
  public package(set) var address: UInt64
  public package(set) var isValid: Bool?
  /// Lower is first; timers have none.
  public package(set) var order: Int64?
  public package(set) var callout: Callout?
  /// As its owner describes it, cut at `TopologyLimits.contextBytes`.
  public package(set) var context: String?

  /// Of a source.
  public package(set) var isSignalled: Bool?

  /// Of an observer.
  public package(set) var activities: ActivityMask?
  public package(set) var repeats: Bool?

  /// Of a timer; 0 = it fires once.
  public package(set) var intervalNs: UInt64?
  public package(set) var toleranceNs: UInt64?
  public package(set) var isFiring: Bool?
  /// As written, with nine digits: seconds since 2001.
  public package(set) var nextFireDateS: Double?
  /// From when it was described; negative where it is overdue.
  public package(set) var firesInNs: Int64?
  /// In ticks of the system's clock, nanoseconds on Linux.
  public package(set) var firesAtTicks: Int64?

  package init(_ kind: Kind, address: UInt64) {
    self.kind = kind
    self.address = address
  }
}

/// What an item calls, as far as its description says it.
public struct Callout: Sendable, Equatable {
  public package(set) var name: String?
  /// What the name is of: "Delayed Perform", "NSTimer".
  public package(set) var role: String?
  public package(set) var address: UInt64?
  /// Where a timer's callout leads.
  public package(set) var target: UInt64?
  /// The binary that has it.
  public package(set) var image: String?

  package init() {}
}

/// The activities that an observer wants to be told of.
public struct ActivityMask: Sendable, Equatable {
  public let bits: UInt64

  package init(bits: UInt64) { self.bits = bits }

  /// Those that there are, in the order of a pass.
  public var activities: [Activity] { Activity.allCases.filter { bits & UInt64($0.rawValue) != 0 } }

  /// kCFRunLoopAllActivities.
  public var isAll: Bool { bits & Self.all == Self.all }

  /// Bits that stand for no activity.
  public var unknownBits: UInt64 {
    isAll ? bits & ~Self.all : Activity.allCases.reduce(bits) { $0 & ~UInt64($1.rawValue) }
  }

  private static let all: UInt64 = 0x0FFF_FFFF
}

extension LoopItem {
  /// The order of lists: as the loop has it, as far as the description tells.
  package static func comesBefore(_ a: LoopItem, _ b: LoopItem) -> Bool {
    func key(_ item: LoopItem) -> (Int64, Int64, Double, UInt64, String) {
      (
        item.order ?? 0, item.firesAtTicks ?? 0, item.nextFireDateS ?? 0, item.intervalNs ?? 0,
        item.callout?.name ?? ""
      )
    }
    let (first, second) = (key(a), key(b))
    return first == second ? a.address < b.address : first < second
  }
}
