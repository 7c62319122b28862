import RunLoopVocabulary

/// The contents of a run loop at one moment: its modes, and the sources, observers and timers in each.
public struct Topology: Sendable, Equatable {
  public package(set) var address: UInt64
  /// The address of CoreFoundation's allocator, which is the same for everything in a process.
  public package(set) var allocator: UInt64?
  public package(set) var isStopped: Bool?
  /// Nil = no run was active.
  public package(set) var currentMode: String?
  /// Whether the text says which mode is current, or that none is.
  package var statesCurrentMode = true
  public package(set) var commonModes: [String] = []
  /// The items that were added to the common modes.
  public package(set) var commonItems: [LoopItem] = []
  /// Sorted by name.
  public package(set) var modes: [TopologyMode] = []
  public package(set) var form: DumpForm?
  /// The place where the text ends before the dump does; the rest is not known. Nil = the dump is complete.
  public package(set) var cut: Cut?

  /// The line, from 1, on which a text ends too early, and the description of what it ends in.
  public struct Cut: Sendable, Equatable {
    public let line: Int
    public let what: String
  }

  package init(address: UInt64) { self.address = address }
}

/// The system that wrote the description of a run loop.
public enum DumpForm: String, Sendable, CaseIterable, Named {
  case apple, linux

  public var name: String { rawValue }
}

/// One mode of a run loop, with its items in a stable order.
public struct TopologyMode: Sendable, Equatable {
  public package(set) var name: String
  public package(set) var address: UInt64
  public package(set) var sources0: [LoopItem] = []
  public package(set) var sources1: [LoopItem] = []
  public package(set) var observers: [LoopItem] = []
  public package(set) var timers: [LoopItem] = []
  /// The time at which the mode was described, in seconds since 2001.
  public package(set) var nowS: Double?
  /// The time until the mode's timer fires; negative when it should have fired. Nil = no timer is set.
  public package(set) var deadlineNs: Int64?
  /// Whether the text ends inside the mode, so that the mode may hold more.
  public package(set) var isCut = false

  package init(name: String, address: UInt64) {
    self.name = name
    self.address = address
  }

  public var items: [LoopItem] { sources0 + sources1 + observers + timers }

  /// Whether the mode contains nothing for which a run would wait.
  public var hasNoSourcesOrTimers: Bool { sources0.isEmpty && sources1.isEmpty && timers.isEmpty }
}
