import RunLoopVocabulary

/// The contents of a run loop at one moment: its modes, and the sources, observers and timers in each.
package struct Topology: Sendable, Equatable {
  package var address: UInt64
  /// The address of CoreFoundation's allocator, which is the same for everything in a process.
  package var allocator: UInt64?
  package var isStopped: Bool?
  /// Nil = no run was active.
  package var currentMode: String?
  /// Whether the text says which mode is current, or that none is.
  package var statesCurrentMode = true
  package var commonModes: [String] = []
  /// The items that were added to the common modes.
  package var commonItems: [LoopItem] = []
  /// Sorted by name.
  package var modes: [TopologyMode] = []
  package var form: DumpForm?
  /// The place where the text ends before the dump does; the rest is not known. Nil = the dump is complete.
  package var cut: Cut?

  /// The line, from 1, on which a text ends too early, and the description of what it ends in.
  package struct Cut: Sendable, Equatable {
    package let line: Int
    package let what: String
  }

  package init(address: UInt64) { self.address = address }
}

/// The system that wrote the description of a run loop.
package enum DumpForm: String, Sendable, CaseIterable, Named {
  case apple, linux

  package var name: String { rawValue }
}

/// One mode of a run loop, with its items in a stable order.
package struct TopologyMode: Sendable, Equatable {
  package var name: String
  package var address: UInt64
  package var sources0: [LoopItem] = []
  package var sources1: [LoopItem] = []
  package var observers: [LoopItem] = []
  package var timers: [LoopItem] = []
  /// The time at which the mode was described, in seconds since 2001.
  package var nowS: Double?
  /// The time until the mode's timer fires; negative when it should have fired. Nil = no timer is set.
  package var deadlineNs: Int64?
  /// Whether the text ends inside the mode, so that the mode may hold more.
  package var isCut = false

  package init(name: String, address: UInt64) {
    self.name = name
    self.address = address
  }

  package var items: [LoopItem] { sources0 + sources1 + observers + timers }

  /// Whether the mode contains nothing for which a run would wait.
  package var hasNoSourcesOrTimers: Bool { sources0.isEmpty && sources1.isEmpty && timers.isEmpty }
}
