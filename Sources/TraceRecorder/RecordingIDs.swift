import CRLTraceShims
import TraceFormat

/// Ids of the strings, modes and objects of a recording of this process, see rltrace_ids.h. For slow paths.
@safe struct RecordingIDs: ~Copyable, @unchecked Sendable {
  // SAFETY: this value's alone, and locked by itself.
  private let ids: OpaquePointer

  /// `spool` is where strings and modes are written, and outlives this.
  init(spool: Spool) throws(TraceFormatError) {
    guard let ids = unsafe rlt_ids_make() else {
      throw .system(what: "cannot make a recording's ids", code: ENOMEM)
    }
    unsafe self.ids = ids
    unsafe rlt_ids_begin(ids, spool.header)
  }

  deinit { unsafe rlt_ids_free(ids) }

  /// The same for equal strings. 0 when there is no id left or the log is full.
  func string(_ text: String) -> UInt32 {
    var text = text
    return text.withUTF8 { unsafe rlt_string_id(ids, UInt16(RLT_NAME_STRING), $0.baseAddress, $0.count) }
  }

  /// `ModeDefinition.overflowID` for all modes beyond the table.
  func mode(_ name: String) -> UInt8 { unsafe rlt_mode_id(ids, name) }

  /// 0 = none left, the object stays anonymous.
  func makeObject() -> UInt32 { unsafe rlt_object_make(ids) }

  /// Gives an id's slot back; the next object in it has another generation.
  func release(object: UInt32) { unsafe rlt_object_release(ids, object) }
}
