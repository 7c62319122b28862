// Programs with one known fault or none, each modelled on a public bug report. Tests record them unmodified and check
// the verdict.
import CoreFoundation
import Foundation

@main enum FieldPrograms {
  static let programs: [(name: String, run: ([String]) -> Void)] = [
    ("empty-mode-on-thread", EmptyModes.onThread), ("empty-mode-on-main", EmptyModes.onMain),
    ("drain-in-block", Deadlocks.drainInBlock), ("answer-behind-wait", Deadlocks.answerBehindWait),
    ("sync-on-main", Deadlocks.syncOnMain),
    ("signal-without-wake", UnservedWork.signalWithoutWake),
    ("perform-after-return", UnservedWork.performAfterReturn),
    ("perform-in-other-mode", UnservedWork.performInOtherMode),
    ("poll-until-now", Polls.untilNow), ("poll-distant-past", Polls.distantPast),
    ("poll-slowly", Polls.slowly),
    ("frame-loop", Polls.frameLoop),
    ("operations", operations), ("modal-poller", Timers.modalPoller), ("leaky-rows", Timers.leakyRows),
    ("remove-from-common", Timers.removeFromCommon), ("overdue-one-shots", Timers.overdueOneShots),
    ("many-loops", ManyLoops.run), ("short-loops", ManyLoops.short), ("ends", Ends.run),
    ("answer-behind-queue", QueueWaits.answerBehindQueue), ("queues-wait", QueueWaits.eachOther),
    ("read-in-read", QueueWaits.readInRead), ("idle-notification", QueueWaits.idleNotification),
    ("hitches", Frames.hitches), ("one-long-frame", Frames.oneLongFrame),
    ("dropped-frames", DroppedFrames.run),
    ("parse-then-sleep", Frames.parseThenSleep), ("gallery", Frames.gallery), ("healthy", Healthy.run),
    ("contended", Contended.run),
  ]

  static func main() {
    setvbuf(stdout, nil, _IOLBF, 0)
    let arguments = CommandLine.arguments.dropFirst()
    guard let program = programs.first(where: { $0.name == arguments.first }) else {
      print("programs: " + programs.map(\.name).joined(separator: " "))
      exit(64)
    }
    program.run(Array(arguments.dropFirst()))
  }

  /// An operation queue in a process that never runs a loop.
  static func operations(_ arguments: [String]) {
    let queue = OperationQueue()
    for _ in 0..<5 { queue.addOperation { usleep(1000) } }
    queue.waitUntilAllOperationsAreFinished()
    Thread.sleep(forTimeInterval: 0.2)
    print("done")
  }
}
