import RunLoopVocabulary

/// A source, an observer or a timer. Nil properties are not in its description.
package struct LoopItem: Sendable, Equatable {
  package enum Kind: String, Sendable, CaseIterable, Named {
    /// A source of unknown version.
    case source
    case source0, source1, observer, timer

    package var name: String { rawValue }

    var isSource: Bool { self == .source || self == .source0 || self == .source1 }
  }

  package var kind: Kind
  package var address: UInt64
  package var isValid: Bool?
  /// Items of lower order are called first; timers have no order.
  package var order: Int64?
  package var callout: Callout?
  /// The context as its owner describes it, cut at `TopologyLimits.contextBytes`.
  package var context: String?

  /// For a source.
  package var isSignalled: Bool?

  /// For an observer.
  package var activities: ActivityMask?
  package var repeats: Bool?

  /// For a timer; 0 = it fires once.
  package var intervalNs: UInt64?
  package var toleranceNs: UInt64?
  package var isFiring: Bool?
  /// The next fire date as written, in seconds since 2001 with nine digits.
  package var nextFireDateS: Double?
  /// The time from the description to the fire date; negative when overdue.
  package var firesInNs: Int64?
  /// The fire date in ticks of the system's clock, which are nanoseconds on Linux.
  package var firesAtTicks: Int64?

  package init(_ kind: Kind, address: UInt64) {
    self.kind = kind
    self.address = address
  }
}

/// The function that an item calls. Nil properties are not in its description.
package struct Callout: Sendable, Equatable {
  package var name: String?
  /// The kind of the name: "Delayed Perform", "NSTimer".
  package var role: String?
  package var address: UInt64?
  /// The function to which a timer's callout forwards.
  package var target: UInt64?
  /// The binary that contains the function.
  package var image: String?

  package init() {}
}

/// The activities for which an observer is called.
package struct ActivityMask: Sendable, Equatable {
  package let bits: UInt64

  package init(bits: UInt64) { self.bits = bits }

  /// The activities in the mask that exist, in the order of a pass.
  package var activities: [Activity] { Activity.allCases.filter { bits & UInt64($0.rawValue) != 0 } }

  /// Whether the mask is kCFRunLoopAllActivities.
  package var isAll: Bool { bits & Self.all == Self.all }

  /// The bits that do not belong to an activity.
  package var unknownBits: UInt64 {
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
