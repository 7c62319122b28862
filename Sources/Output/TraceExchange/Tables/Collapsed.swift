import TraceAnalysis
import TraceTables

extension ExportFormat {
  /// Stacks in the format that flame-graph tools read: `thread;outermost;…;innermost weight`, in microseconds of gaps.
  package static let collapsed = ExportFormat(
    name: "collapsed", about: [], tables: [StackTables.sampledStacks.name], header: { _, _ in },
    row: { cells, names, bytes in
      func cell(_ name: String) -> Value { names.firstIndex(of: name).map { cells[$0] } ?? .unknown }
      guard case .integer(let ns) = cell("duration_ns"), ns > 0, case .text(let frames) = cell("frames")
      else {
        return
      }
      var thread = "thread"
      if case .text(let name) = cell("thread_name"), !name.isEmpty { thread = StackTables.collapsed(name) }
      bytes += "\(thread);\(harmless(frames, limit: .max)) \(max(ns / 1000, 1))\n".utf8
    },
    // No table of the format is written while the trace is read.
    form: { names in
      RowText.Form(before: names.map { _ in [] }, unknown: "", end: "", append: { _, _ in })
    })
}
