// The text form of a trace: the same blocks, a line an entry. `TextDumper` writes it, `TextAssembler` reads it;
// with codec none, dump and assemble give the same bytes back. docs/trace-format.md describes the grammar.
//
//   rltrace-text 1
//   header minor=0 unit=10ns codec=none capture=callouts clock=monotonic high=yes
//   modes
//     1 "kCFRunLoopDefaultMode"
//   events thread=0
//     1200 BeforeTimers.low m1 #1     ; 0.000012000 s kCFRunLoopDefaultMode
//   end
//
// Times are in the trace's units, `m` is the mode id, `#` the object id. What follows a `;` is a comment for the reader.

enum TextForm {
  static let firstLine = "rltrace-text 1"
  static let end = "end"
  /// In place of `end`: the file had no index, as after a killed recorder.
  static let unclean = "unclean"
  static let yes = "yes"
  static let no = "no"
}
