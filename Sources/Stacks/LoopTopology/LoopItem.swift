import RunLoopVocabulary

/// A source, an observer or a timer. Nil properties are not in its description.
public struct LoopItem: Sendable, Equatable {
  public enum Kind: String, Sendable, CaseIterable, Named {
    /// A source of unknown version.
    case source
    case source0, source1, observer, timer

    public var name: String { rawValue }

    var isSource: Bool { self == .source || self == .source0 || self == .source1 }
  }

  public package(set) var kind: Kind
  public package(set) var address: UInt64
  public package(set) var isValid: Bool?
  /// Items of lower order are called first; timers have no order.
  public package(set) var order: Int64?
  public package(set) var callout: Callout?
  /// The context as its owner describes it, cut at `TopologyLimits.contextBytes`.
  public package(set) var context: String?

  /// For a source.
  public package(set) var isSignalled: Bool?

  /// For an observer.
  public package(set) var activities: ActivityMask?
  public package(set) var repeats: Bool?

  /// For a timer; 0 = it fires once.
  public package(set) var intervalNs: UInt64?
  public package(set) var toleranceNs: UInt64?
  public package(set) var isFiring: Bool?
  /// The next fire date as written, in seconds since 2001 with nine digits.
  public package(set) var nextFireDateS: Double?
  /// The time from the description to the fire date; negative when overdue.
  public package(set) var firesInNs: Int64?
  /// The fire date in ticks of the system's clock, which are nanoseconds on Linux.
  public package(set) var firesAtTicks: Int64?

  package init(_ kind: Kind, address: UInt64) {
    self.kind = kind
    self.address = address
  }
}

/// The function that an item calls. Nil properties are not in its description.
public struct Callout: Sendable, Equatable {
  public package(set) var name: String?
  /// The kind of the name: "Delayed Perform", "NSTimer".
  public package(set) var role: String?
  public package(set) var address: UInt64?
  /// The function to which a timer's callout forwards.
  public package(set) var target: UInt64?
  /// The binary that contains the function.
  public package(set) var image: String?

  package init() {}
}

/// The activities for which an observer is called.
public struct ActivityMask: Sendable, Equatable {
  public let bits: UInt64

  package init(bits: UInt64) { self.bits = bits }

  /// The activities in the mask that exist, in the order of a pass.
  public var activities: [Activity] { Activity.allCases.filter { bits & UInt64($0.rawValue) != 0 } }

  /// Whether the mask is kCFRunLoopAllActivities.
  public var isAll: Bool { bits & Self.all == Self.all }

  /// The bits that do not belong to an activity.
  public var unknownBits: UInt64 {
    isAll ? bits & ~Self.all : Activity.allCases.reduce(bits) { $0 & ~UInt64($1.rawValue) }
  }

  private static let all: UInt64 = 0x0FFF_FFFF
}

extension LoopItem {
  /// Compares items in the order of lists: the loop's own order, if the description has it.
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
