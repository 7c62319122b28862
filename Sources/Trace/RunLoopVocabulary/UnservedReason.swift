/// The reasons why work queued for a run loop had not run at the end of the analyzed span.
package enum UnservedReason: String, Sendable, Named {
  /// A block of the main queue runs a nested loop. The main queue is not drained again inside it.
  case drainUnderWay = "drain_under_way"
  /// A callout of the loop was running, and the work waited behind it.
  case calloutUnderWay = "callout_under_way"
  /// Other work of the queue was running, on one thread or on several.
  case otherWork = "other_work"
  /// The loop ran, but in no mode in which the work may run.
  case modeNotRun = "mode_not_run"
  /// The loop had slept in one of the work's modes since before the work was queued, and nothing woke it.
  case notWoken = "not_woken"
  /// The loop was not running, and the recording does not show that its thread had ended.
  case loopNotRunning = "loop_not_running"
  /// The thread of the loop had ended.
  case loopEnded = "loop_ended"
  /// The source was in no mode of any loop.
  case inNoMode = "in_no_mode"
  /// The recording does not show the reason.
  case unknown

  package var name: String { rawValue }

  /// A part of a sentence, without numbers and names.
  package var words: String {
    switch self {
    case .drainUnderWay: "the main queue was being drained already"
    case .calloutUnderWay: "a callout was running"
    case .otherWork: "other work of its queue was running"
    case .modeNotRun: "the loop ran none of the modes in which it may run"
    case .notWoken: "the loop was not woken"
    case .loopNotRunning: "the loop was not running"
    case .loopEnded: "the thread of the loop had ended"
    case .inNoMode: "it was in no mode"
    case .unknown: "not known"
    }
  }
}

/// The kinds of work that can be queued for a run loop or another queue.
package enum QueuedWorkKind: String, Sendable, Named {
  /// A block of CFRunLoopPerformBlock.
  case block
  /// Work on the main dispatch queue: blocks, functions, operations, jobs of the main actor.
  case mainQueueBlock
  /// A source0 that was signalled.
  case source0
  /// A block, task or job of another queue than the main queue.
  case work

  package var name: String { rawValue }

  package var words: String {
    switch self {
    case .block: "block"
    case .mainQueueBlock: "main-queue block"
    case .source0: "source"
    case .work: "work"
    }
  }
}
