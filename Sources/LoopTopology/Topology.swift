import RunLoopVocabulary

/// What a run loop holds at one moment: its modes, and the sources, observers and timers in each.
public struct Topology: Sendable, Equatable {
  public package(set) var address: UInt64
  /// Where CoreFoundation's allocator lies: the same for everything in a process.
  public package(set) var allocator: UInt64?
  public package(set) var isStopped: Bool?
  /// Nil = no run was active.
  public package(set) var currentMode: String?
  public package(set) var commonModes: [String] = []
  /// What was added to the common modes.
  public package(set) var commonItems: [LoopItem] = []
  /// By name.
  public package(set) var modes: [TopologyMode] = []
  public package(set) var form: DumpForm?
  /// Where the text ends before the dump does: what follows is not known. Nil = the dump is whole.
  public package(set) var cut: Cut?

  /// The line, from 1, in which a text ends too early, and in what.
  public struct Cut: Sendable, Equatable {
    public let line: Int
    public let what: String
  }

  package init(address: UInt64) { self.address = address }
}

/// Who described a run loop.
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
  /// When the mode was described, seconds since 2001.
  public package(set) var nowS: Double?
  /// How long until the mode's timer goes off; negative where it should have. Nil = no timer is set.
  public package(set) var deadlineNs: Int64?
  /// The text ends inside the mode: it may hold more.
  public package(set) var isCut = false

  package init(name: String, address: UInt64) {
    self.name = name
    self.address = address
  }

  public var items: [LoopItem] { sources0 + sources1 + observers + timers }

  /// Nothing that a run in it would wait for.
  public var hasNoSourcesOrTimers: Bool { sources0.isEmpty && sources1.isEmpty && timers.isEmpty }
}
