/// Object ids are generational: the low 20 bits are a slot, the high 12 its generation. A slot serves another
/// object after the first one has died, with the next generation, so that an id never means two objects at
/// a time and a table by slot is as large as the number of objects that live at once.
public enum ObjectID {
  public static let slotBits: UInt32 = 20
  public static let slotMask: UInt32 = (1 << slotBits) - 1

  @inlinable public static func make(slot: UInt32, generation: UInt32) -> UInt32 {
    (generation &<< slotBits) | (slot & slotMask)
  }
  @inlinable public static func slot(_ id: UInt32) -> UInt32 { id & slotMask }
  @inlinable public static func generation(_ id: UInt32) -> UInt32 { id &>> slotBits }
}
