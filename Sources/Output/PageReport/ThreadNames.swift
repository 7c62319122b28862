import TraceAnalysis
import TraceFormat

/// The names of threads in the report. All names are different.
struct ThreadNames {
  private let names: [UInt32: String]

  init(_ threads: [ThreadDefinition]) {
    var count = Dictionary(threads.compactMap(\.mainName).map { ($0, 1) }) { first, _ in first }
    for thread in threads where !thread.isMain { count[thread.name, default: 0] += 1 }
    names = Dictionary(
      threads.map { thread in
        let number = "thread \(thread.index)"
        let name =
          thread.name.isEmpty ? number : count[thread.name] == 1 ? thread.name : "\(thread.name) (\(number))"
        return (thread.index, thread.mainName ?? name)
      }, uniquingKeysWith: { first, _ in first })
  }

  subscript(_ index: UInt32) -> String { names[index] ?? "thread \(index)" }
}
