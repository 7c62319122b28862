/// Advice to users that names commands and options of rltrace, and the commands by which formats identify a result. No
/// other text of a report names a command or an option, except the meanings of columns.
package enum Hint {
  // MARK: Where a list goes on

  package static let all = "--all shows them"
  package static let full = "--full lists all"
  package static let json = "--format json lists all"
  package static let csv = "--format csv lists all"
  package static let analyze = "rltrace analyze lists all"
  package static let analyzeInMarkdown = "`rltrace analyze` lists all"
  package static let analyzeJSON = "rltrace analyze --format json lists all"
  package static let fleetCSV = "rltrace fleet --format csv lists all"
  package static let fleetJSON = "rltrace fleet --format json lists all"

  /// Returns the last line of a list that leaves `rest` elements out; none if it leaves none out.
  package static func more(_ rest: Int, _ hint: String, indent: String = "  ") -> [String] {
    rest > 0 ? ["\(indent)… and \(rest) more; \(hint)"] : []
  }

  /// Returns the end of a list that leaves out shorter elements. `most` is the length of the longest list.
  package static func longest(_ most: Int) -> String { "--format json lists the longest \(most)" }

  package static let snapshot = "--index N shows another"
  package static let otherThreads = "use --all for all threads, or --thread for one"

  // MARK: What else can be given

  package static let appImages = "--app-image names the app's images"
  package static let thisAppImage = "--app-image declares that it does"
  package static let ownRules = "--rules FILE adds your own rules"

  // MARK: Next commands, ready to type

  package static func analyzeFull(_ trace: String) -> String { "rltrace analyze \(trace) --full" }
  package static func report(_ trace: String) -> String { "rltrace report \(trace)" }
  package static func explain(_ rule: String) -> String {
    "rltrace explain \(rule)   # this finding, with its limits"
  }

  /// Parts of a program that `rltrace record` records on request only.
  package struct OnRequest: OptionSet, Sendable {
    package var rawValue: Int
    package init(rawValue: Int) { self.rawValue = rawValue }
    package static let eventLoops = OnRequest(rawValue: 1)
    /// Tasks, and queues other than the main queue.
    package static let queues = OnRequest(rawValue: 2)

    fileprivate var record: String {
      "rltrace record" + (contains(.eventLoops) ? " --loops all" : "")
        + (contains(.queues) ? " --queues all" : "")
    }
  }

  package static func recordAgain(_ command: String, _ parts: OnRequest) -> String {
    "\(parts.record) -- \(command) && rltrace compare   # after a change"
  }

  /// `parts`: those that the trace has.
  package static func recordQueues(_ command: String, _ parts: OnRequest) -> String {
    "\(parts.union(.queues).record) -- \(command)   # records tasks and all queues as well"
  }

  /// `purpose`: the use of the samples, as a comment.
  package static func sample(
    _ command: String, everyMs: UInt64, _ purpose: String, _ parts: OnRequest
  ) -> String {
    "\(parts.record) --sample \(everyMs)ms -- \(command)   # \(purpose)"
  }

  // MARK: In files

  package static let gate = "rltrace gate"
  package static let fleet = "rltrace fleet"
  package static let compare = "rltrace compare"
  package static let baseline = "--baseline"
  package static let aboutGate =
    "rltrace gate checks the rule against a recording of a run loop. rltrace gate --help lists the measures; "
    + "rltrace report draws the recording."
  package static let aboutColumns =
    "A column's name is the path of the key in `rltrace analyze --format json`, which docs/reference/numbers.md defines."
}
