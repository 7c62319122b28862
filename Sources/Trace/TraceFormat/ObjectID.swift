/// An object id with a generation: the low 20 bits are a slot, the high 12 bits its generation.
///
/// When an object has died, its slot is reused for another object with the next generation. So an id never refers to
/// two live objects, and a table indexed by slot needs only as many rows as objects are alive at the same time.
@usableFromInline package struct ObjectID: Hashable, Sendable {
  @usableFromInline package static let slotBits: UInt32 = 20
  @usableFromInline package static let slotMask: UInt32 = (1 << slotBits) - 1

  @usableFromInline package let rawValue: UInt32

  @inlinable package init(_ rawValue: UInt32) { self.rawValue = rawValue }
  @inlinable package init(slot: UInt32, generation: UInt32) {
    self.init((generation &<< ObjectID.slotBits) | (slot & ObjectID.slotMask))
  }

  /// Creates the id of the object with this number, from 1, for callers that number objects and never release ids.
  /// After a million objects, the slots are reused with the next generation.
  package init(number: UInt32) {
    let slots = ObjectID.slotMask - 1
    self.init(slot: (number - 1) % slots + 1, generation: (number - 1) / slots)
  }

  @inlinable package static var none: ObjectID { ObjectID(0) }

  @inlinable package var slot: UInt32 { rawValue & ObjectID.slotMask }
  @inlinable package var generation: UInt32 { rawValue &>> ObjectID.slotBits }

  @inlinable package static func == (a: ObjectID, b: ObjectID) -> Bool { a.rawValue == b.rawValue }
}
