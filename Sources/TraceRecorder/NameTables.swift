import Synchronization
import TraceFormat

/// Strings, modes and object ids of a recording. Used on slow paths only: creation, attachment, registration.
final class NameTables: Sendable {
  private struct State {
    var idOfString: [String: UInt32] = [:]
    var newStrings: [StringDefinition] = []
    var idOfMode: [String: UInt8] = [:]
    var newModes: [ModeDefinition] = []
    var freeSlots: [UInt32] = []
    var generationOfSlot: [UInt32] = [0]
  }

  private let state = Mutex(State())

  /// The id of a string, the same for equal strings. 0 when the table is full.
  func string(_ text: String) -> UInt32 {
    state.withLock { state in
      if let id = state.idOfString[text] { return id }
      guard state.idOfString.count < TraceLimits.strings else { return 0 }
      let id = UInt32(state.idOfString.count + 1)
      state.idOfString[text] = id
      state.newStrings.append(StringDefinition(id: id, text: text))
      return id
    }
  }

  /// The id of a mode; `ModeDefinition.overflowID` for all modes beyond the table.
  func mode(_ name: String) -> UInt8 {
    state.withLock { state in
      if let id = state.idOfMode[name] { return id }
      guard state.idOfMode.count < Int(ModeDefinition.overflowID) - 1 else {
        if state.idOfMode.count == Int(ModeDefinition.overflowID) - 1 {
          state.idOfMode["(other modes)"] = ModeDefinition.overflowID
          state.newModes.append(ModeDefinition(id: ModeDefinition.overflowID, name: "(other modes)"))
        }
        return ModeDefinition.overflowID
      }
      let id = UInt8(state.idOfMode.count + 1)
      state.idOfMode[name] = id
      state.newModes.append(ModeDefinition(id: id, name: name))
      return id
    }
  }

  /// A fresh object id; 0 = none left, the object stays anonymous.
  func makeObject() -> UInt32 {
    state.withLock { state in
      if let slot = state.freeSlots.popLast() {
        return ObjectID.make(slot: slot, generation: state.generationOfSlot[Int(slot)])
      }
      let slot = UInt32(state.generationOfSlot.count)
      guard slot <= ObjectID.slotMask else { return 0 }
      state.generationOfSlot.append(0)
      return ObjectID.make(slot: slot, generation: 0)
    }
  }

  /// Gives an id's slot back; the next object in it has another generation.
  func release(object: UInt32) {
    let slot = ObjectID.slot(object)
    guard slot != 0 else { return }
    state.withLock { state in
      guard ObjectID.make(slot: slot, generation: state.generationOfSlot[Int(slot)]) == object else { return }
      state.generationOfSlot[Int(slot)] += 1
      state.freeSlots.append(slot)
    }
  }

  func takeNewStrings() -> [StringDefinition] {
    state.withLock { state in
      defer { state.newStrings = [] }
      return state.newStrings
    }
  }

  func takeNewModes() -> [ModeDefinition] {
    state.withLock { state in
      defer { state.newModes = [] }
      return state.newModes
    }
  }
}
