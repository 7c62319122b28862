import CRLTraceShims
import TraceFormat

/// Strings, modes and object ids of a recording of this process; strings and modes go to the spool's log of names.
/// Used on slow paths only: creation, attachment, registration.
final class NameTables: Sendable {
  private struct State {
    var idOfString: [String: UInt32] = [:]
    var idOfMode: [String: UInt8] = [:]
    var freeSlots: [UInt32] = []
    var generationOfSlot: [UInt32] = [0]
  }

  private let spool: Spool
  private let state = Locked(State())

  init(spool: Spool) { self.spool = spool }

  /// The id of a string, the same for equal strings. 0 when the table or the log is full.
  func string(_ text: String) -> UInt32 {
    state.withLock { state in
      if let id = state.idOfString[text] { return id }
      guard state.idOfString.count < TraceLimits.strings else { return 0 }
      var text = text
      let id = text.withUTF8 {
        rlt_spool_append_string(spool.header, UInt16(RLT_NAME_STRING), $0.baseAddress, $0.count)
      }
      state.idOfString[text] = id
      return id
    }
  }

  /// The id of a mode; `ModeDefinition.overflowID` for all modes beyond the table.
  func mode(_ name: String) -> UInt8 {
    state.withLock { state in
      if let id = state.idOfMode[name] { return id }
      guard state.idOfMode.count < Int(ModeDefinition.overflowID) - 1 else {
        if state.idOfMode.count == Int(ModeDefinition.overflowID) - 1 {
          state.idOfMode[ModeDefinition.overflowName] = ModeDefinition.overflowID
          append(mode: ModeDefinition.overflowID, ModeDefinition.overflowName)
        }
        return ModeDefinition.overflowID
      }
      let id = UInt8(state.idOfMode.count + 1)
      state.idOfMode[name] = id
      append(mode: id, name)
      return id
    }
  }

  private func append(mode id: UInt8, _ name: String) {
    var name = name
    _ = name.withUTF8 {
      rlt_spool_append(
        spool.header, UInt16(RLT_NAME_MODE), 0, UInt32(id), $0.baseAddress, $0.count, nil, 0)
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
}
