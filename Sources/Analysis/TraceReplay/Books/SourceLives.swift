import TraceFormat

/// The number of live sources by creation site and loop, or by name if the site is not known. A source lives while it
/// is in a mode of a loop. Sources and places beyond the limits are not counted.
package final class SourceLives {
  package struct Place: Hashable {
    package let site: StringID
    package let name: StringID
    package let loop: LoopID
  }

  /// The places in the order of their first source, each with its lives and the name of its first source.
  package private(set) var rows: [(place: Place, name: StringID, lives: ItemLivesBook)] = []
  private var rowOf: [Place: Int] = [:]
  private var span = ItemLivesBook.Span()

  private struct Source {
    let site: StringID
    let name: StringID
    let kind: LoopItemKind
    /// Nil = in no mode, or beyond the limit of places.
    var live: (row: Int, cameAt: Moment, loop: LoopID)?
  }

  private var sources: [ObjectID: Source] = [:]
  private var ofLoop: [LoopID: Set<ObjectID>] = [:]

  /// Begins the analyzed span. Sources that live now came before it.
  func begin(_ span: ItemLivesBook.Span) {
    self.span = span
    for row in rows.indices { rows[row].lives = ItemLivesBook() }
    for case let live? in sources.values.map(\.live) { rows[live.row].lives.appears(live.cameAt, span) }
  }

  func create(
    _ source: ObjectID, _ kind: LoopItemKind, name: StringID, site: StringID, at time: Moment
  ) {
    end(source, at: time)
    guard sources.count < AnalysisLimits.placedSources else { return }
    sources[source] = Source(site: site, name: name, kind: kind)
  }

  func add(_ source: ObjectID, to loop: LoopID, at time: Moment) {
    guard let known = sources[source], known.live == nil else { return }
    let place = Place(site: known.site, name: known.site == .none ? known.name : .none, loop: loop)
    guard let row = row(of: place, known.name) else { return }
    sources[source]?.live = (row, time, loop)
    ofLoop[loop, default: []].insert(source)
    rows[row].lives.appears(time, span)
  }

  private func row(of place: Place, _ name: StringID) -> Int? {
    if let row = rowOf[place] { return row }
    guard rows.count < AnalysisLimits.sourceRows else { return nil }
    rowOf[place] = rows.count
    rows.append((place, name, ItemLivesBook()))
    return rows.count - 1
  }

  /// Returns the live sources of a loop, in the order of their objects.
  func items(of loop: LoopID) -> [BoundItem] {
    (ofLoop[loop] ?? []).ordered { $0.rawValue < $1.rawValue }.compactMap { source in
      guard let known = sources[source], let live = known.live else { return nil }
      return BoundItem(object: source, kind: known.kind, name: known.name, since: live.cameAt)
    }
  }

  /// Notes that the source left its last mode.
  func leave(_ source: ObjectID, at time: Moment) {
    guard let live = sources[source]?.live else { return }
    rows[live.row].lives.disappears(time, span)
    sources[source]?.live = nil
    ofLoop[live.loop]?.remove(source)
  }

  func end(_ source: ObjectID, at time: Moment) {
    leave(source, at: time)
    sources[source] = nil
  }

  /// Ends the lives of all sources of a loop.
  func endLoop(_ loop: LoopID, at time: Moment) {
    for source in ofLoop[loop] ?? [] { leave(source, at: time) }
    ofLoop[loop] = nil
  }
}
