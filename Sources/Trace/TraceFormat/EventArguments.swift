// The positions of the arguments that code reads. A test reads this file and compares each name and position with
// the event table.

extension EventRole {
  /// An object is defined.
  package enum Defines { package static let name = 0 }
  /// An object joins or leaves a mode. Only some of these events have the loop.
  package enum Membership { package static let mode = 0, loop = 1 }
}

extension EventKind {
  package enum RunBegin { package static let timeoutNs = 0, returnAfterSource = 1 }
  package enum RunEnd { package static let result = 0 }

  package enum WorkBegin { package static let queue = 0 }
  package enum WorkEnd { package static let why = 0 }
  package enum QueueWaitBegin { package static let holder = 0 }

  package enum TimerCreate { package static let intervalNs = 1, toleranceNs = 2, due = 3, site = 4 }
  package enum TimerReschedule { package static let due = 0 }
  package enum TimerDue { package static let due = 0 }
  package enum SourceCreate { package static let version = 1, order = 2, site = 3 }
  package enum LoopCreate { package static let kind = 1 }
  package enum LoopPolls { package static let count = 0 }
  package enum BlockCreate { package static let loop = 1, due = 2, mode = 3 }

  package enum WorkCreate { package static let kind = 1, queue = 2, parent = 3, site = 4, due = 5 }
  package enum WorkQueue { package static let queue = 0 }
  package enum QueueCreate { package static let kind = 1, width = 2 }

  package enum Heartbeat { package static let lateNs = 0, cpuNs = 1 }
  package enum LifeCycle { package static let phase = 0 }
  package enum BackgroundTaskBegin { package static let budgetNs = 1 }
  package enum ProcessEnd { package static let status = 0, signal = 1, byRecorder = 2 }

  package enum Mark { package static let name = 0 }
  package enum State { package static let name = 0, value = 1 }
  package enum ImageMap { package static let path = 0, base = 1, size = 2, buildID = 3 }
  package enum Stack { package static let frame = 1 }
  package enum LostEvents { package static let count = 0, fullDisk = 1 }
  package enum FrameName {
    package static let address = 0, depth = 1, function = 2, file = 3, line = 4, column = 5
  }
  package enum ThreadState { package static let thread = 0, state = 1, awaitedThread = 11 }
  package enum ThreadStack { package static let thread = 0, reason = 1, frame = 2 }
  package enum ThreadUnsampled { package static let thread = 0, reason = 1 }

  package enum TopologyBegin { package static let reason = 0, address = 1, unseen = 2 }
  package enum TopologyMode { package static let state = 0 }
  package enum TopologyItem {
    package static let kind = 0, name = 1, order = 2, address = 3, activities = 4, repeats = 5
    package static let intervalNs = 6, toleranceNs = 7, due = 8
  }
  package enum TopologyEnd { package static let items = 0, omitted = 1 }

  package enum NameCode { package static let name = 0, code = 1 }
}
