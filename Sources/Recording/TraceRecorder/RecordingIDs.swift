import CRLTraceShims
import SystemSupport
import TraceFormat

/// The ids of strings, modes and objects in a recording of this process, see rltrace_ids.h. For slow paths.
@safe struct RecordingIDs: ~Copyable, @unchecked Sendable {
  // SAFETY: only this value uses the pointer, and the C code locks it.
  private let ids: OpaquePointer

  /// Creates the ids. Strings and modes are written to `spool`, which must outlive this value.
  init(spool: Spool) throws(TraceFormatError) {
    guard let ids = unsafe rlt_ids_make() else {
      throw .system(what: "cannot create the ids of a recording", code: ENOMEM)
    }
    unsafe self.ids = ids
    unsafe rlt_ids_begin(ids, spool.header)
  }

  deinit { unsafe rlt_ids_free(ids) }

  /// Returns the id of a string; equal strings have the same id. 0 = no id is left or the log is full.
  func string(_ text: String) -> UInt32 {
    var text = text
    return text.withUTF8 { unsafe rlt_string_id(ids, UInt16(RLT_NAME_STRING), $0.baseAddress, $0.count) }
  }

  /// Returns the id of a mode. All modes beyond the table get `ModeDefinition.overflowID`.
  func mode(_ name: String) -> UInt8 { unsafe rlt_mode_id(ids, name) }

  /// Returns a new object id. 0 = none is left; the object stays anonymous.
  func makeObject() -> UInt32 { unsafe rlt_object_make(ids) }

  /// Gives back the slot of an id. The next object in the slot has another generation.
  func release(object: UInt32) { unsafe rlt_object_release(ids, object) }
}
