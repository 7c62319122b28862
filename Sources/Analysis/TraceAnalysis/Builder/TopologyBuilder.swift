import LoopTopology
import TraceFormat
import TraceReplay
import TraceResults

/// Builds the contents of run loops from the recorder's snapshots.
struct TopologyBuilder {
  private typealias Snapshot = TopologyBook.Snapshot

  private let snapshots: [Snapshot]
  private let objects: ObjectTable
  private let builder: ResultBuilder
  /// The ids of the modes whose name is that of the common modes.
  private let common: Set<ModeID>

  init(_ builder: ResultBuilder, _ replay: borrowing Replay) {
    self.builder = builder
    objects = replay.books.objects
    snapshots = replay.books.topology.snapshots.ordered { $0.time < $1.time }
    common = Set(
      (UInt8.min...UInt8.max).map(ModeID.init).filter { builder.names.mode($0) == ModeName.common })
  }

  func results() -> [TopologySnapshot] {
    snapshots.map { snapshot in
      with(TopologySnapshot()) { it in
        it.loop = builder.loop(snapshot.loop, objects)
        it.timeNs = builder.ns(snapshot.time)
        it.reason = snapshot.reason
        it.hasUnseenItems = snapshot.hasUnseen
        it.isWhole = snapshot.isWhole
        it.topology = topology(snapshot)
      }
    }
  }

  // MARK: One snapshot

  private func topology(_ snapshot: Snapshot) -> Topology {
    var topology = Topology(address: snapshot.address)
    topology.currentMode = snapshot.current == .outside ? nil : builder.names.mode(snapshot.current)
    topology.commonModes = snapshot.modes.filter(\.isCommon).map { builder.names.mode($0.mode) }.ordered()
    var modes: [ModeID: TopologyMode] = [:]
    for mode in snapshot.modes where !mode.isNone {
      modes[mode.mode] = TopologyMode(name: builder.names.mode(mode.mode), address: 0)
    }
    for item in snapshot.items {
      let made = self.item(item, at: snapshot.time)
      for mode in item.modes {
        if isOfCommon(mode) {
          topology.commonItems.append(made)
        } else {
          modes[mode, default: TopologyMode(name: builder.names.mode(mode), address: 0)].add(made)
        }
      }
    }
    topology.commonItems = topology.commonItems.ordered(by: LoopItem.comesBefore)
    topology.modes = modes.ordered { ($0.value.name, $0.key) < ($1.value.name, $1.key) }.map(\.value.sorted)
    return topology
  }

  private func isOfCommon(_ mode: ModeID) -> Bool { common.contains(mode) }

  private func item(_ item: TopologyBook.Item, at time: Moment) -> LoopItem {
    let address = item.address == 0 ? UInt64(item.object.rawValue) : item.address
    return with(LoopItem(item.kind.ofLoop, address: address)) { it in
      var callout = Callout()
      callout.name = builder.names.string(item.name)
      it.callout = callout
      switch item.kind {
      case .source0, .source1: it.order = item.order
      case .observer:
        it.order = item.order
        it.activities = ActivityMask(bits: item.activities)
        it.repeats = item.repeats
      case .timer:
        it.intervalNs = item.intervalNs
        it.toleranceNs = item.toleranceNs
        it.firesInNs = item.due.map { builder.scale.pointNs($0) &- builder.scale.pointNs(at: time) }
      }
    }
  }

  // MARK: Over time

  private struct Place: Hashable {
    var object: ObjectID
    var mode: ModeID
  }

  /// An item in a mode, with the indices of the loop's first and last snapshot that contain it.
  private struct Presence {
    var item: TopologyBook.Item
    var first: Int
    var last: Int
    var count: Int
  }

  func inventory() -> [InventoryItem] {
    var places: [LoopID: Int] = [:]
    var ofLoops: [[Snapshot]] = []
    for snapshot in snapshots {
      let place = places[snapshot.loop] ?? ofLoops.count
      places[snapshot.loop] = place
      if place == ofLoops.count { ofLoops.append([]) }
      ofLoops[place].append(snapshot)
    }
    return ofLoops.flatMap { inventory($0) }
  }

  private func inventory(_ snapshots: [Snapshot]) -> [InventoryItem] {
    var presences: [Place: Presence] = [:]
    for (number, snapshot) in snapshots.enumerated() {
      for item in snapshot.items {
        for mode in item.modes where !isOfCommon(mode) {
          let place = Place(object: item.object, mode: mode)
          var presence = presences[place] ?? Presence(item: item, first: number, last: number, count: 0)
          presence.item = item
          presence.last = number
          presence.count += 1
          presences[place] = presence
        }
      }
    }
    // For each index, the index of the next whole snapshot from there on.
    var nextWhole = [Int?](repeating: nil, count: snapshots.count + 1)
    for number in snapshots.indices.reversed() {
      nextWhole[number] = snapshots[number].isWhole ? number : nextWhole[number + 1]
    }
    let ordered = presences.ordered {
      ($0.key.mode, $0.value.item.kind.rawValue, $0.value.first, $0.key.object.rawValue)
        < ($1.key.mode, $1.value.item.kind.rawValue, $1.value.first, $1.key.object.rawValue)
    }
    return ordered.map { place, presence in
      with(InventoryItem()) { it in
        let last = snapshots[presence.last]
        it.loop = builder.loop(last.loop, objects)
        it.mode = builder.names.mode(place.mode)
        it.item = item(presence.item, at: last.time)
        it.object = place.object.rawValue
        it.isCommon = presence.item.modes.contains(where: isOfCommon)
        it.snapshots = presence.count
        it.addedNs = presence.first == 0 ? nil : builder.ns(snapshots[presence.first].time)
        // A snapshot that is incomplete may have lost the item.
        it.goneNs = nextWhole[presence.last + 1].map { builder.ns(snapshots[$0].time) }
      }
    }
  }
}

extension LoopItemKind {
  fileprivate var ofLoop: LoopItem.Kind {
    switch self {
    case .source0: .source0
    case .source1: .source1
    case .observer: .observer
    case .timer: .timer
    }
  }
}

extension TopologyMode {
  fileprivate mutating func add(_ item: LoopItem) {
    switch item.kind {
    case .source, .source0: sources0.append(item)
    case .source1: sources1.append(item)
    case .observer: observers.append(item)
    case .timer: timers.append(item)
    }
  }

  /// The mode with its items in the loop's order.
  fileprivate var sorted: TopologyMode {
    with(self) { it in
      it.sources0 = it.sources0.ordered(by: LoopItem.comesBefore)
      it.sources1 = it.sources1.ordered(by: LoopItem.comesBefore)
      it.observers = it.observers.ordered(by: LoopItem.comesBefore)
      it.timers = it.timers.ordered(by: LoopItem.comesBefore)
    }
  }
}
