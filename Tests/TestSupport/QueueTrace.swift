/// A trace of queues, in microseconds, written by hand. Thread n has the OS id 100 + n.
package struct QueueTrace {
  /// Strings: 1 pool, 2 db, 3 log, 4 Store, then the names of work, and 9 the site.
  package static let strings = [
    "pool", "db", "log", "Store", "work a", "work b", "work c", "lost", "make.swift:7",
  ]

  /// Queues: #1 the pool with two threads, #2 db and #3 log, which are serial, #4 the actor Store.
  package static let queues = """
    0 queue.create #1 name=1 kind=3 width=2
    0 queue.create #2 name=2 kind=0 width=1
    0 queue.create #3 name=3 kind=0 width=1
    0 queue.create #4 name=4 kind=4 width=1

    """

  /// The events of each thread; those of thread 0 follow the queues.
  package var threads: [String]
  package var hasQueues: Bool
  package var info: [String]

  package init(threads: [String], hasQueues: Bool = true, info: [String] = []) {
    (self.threads, self.hasQueues, self.info) = (threads, hasQueues, info)
  }

  package var text: String {
    var lines = [
      "rltrace-text 1", "header minor=2 unit=1us codec=none capture=callouts clock=virtual high=no",
      "strings",
    ]
    lines += Self.strings.enumerated().map { "  \($0 + 1) \"\($1)\"" }
    lines.append("threads")
    lines += threads.indices.map { "  \($0) os=\(100 + $0) main=\($0 == 0 ? "yes" : "no") \"thread \($0)\"" }
    lines += ["modes", "  1 \"kCFRunLoopDefaultMode\""]
    if !info.isEmpty { lines += ["info"] + info.map { "  \($0)" } }
    for (number, events) in threads.enumerated() {
      let events = (number == 0 && hasQueues ? Self.queues : "") + events
      let shown = events.split(separator: "\n").map { "  " + $0.drop { $0 == " " } }
      if !shown.isEmpty { lines += ["events thread=\(number)"] + shown }
    }
    return (lines + ["end"]).joined(separator: "\n")
  }
}
