/// The arguments of a block's events, sorted by kind and position, as differences from their predicted values.
///
/// Created for one block and released with it.
final class ArgumentColumns {
  /// The place where the arguments of one kind's events are stored.
  private struct Cursor {
    /// The number of arguments that every event of the kind has, and the number of its events.
    var fixed = 0
    var rows = 0
    /// The start of its first column in `residuals`, and of its previous values in `previous`.
    var column = 0
    var previous = 0
    var row = 0
    /// Whether some events have more than `fixed` arguments.
    var hasRest = false
    var counts: [UInt8] = []
    var rest: [Int64] = []
    var previousRest: UInt64 = 0
  }

  private var cursors: [Cursor]
  private let residuals: Storage<Int64>

  /// Sorts the arguments of `buffer` and completes the directory. `dense` maps each code to its index in the
  /// directory.
  init(
    _ buffer: EventBuffer, dense: UnsafePointer<UInt8>, directory: inout [KindDirectoryEntry]
  ) {
    cursors = Array(repeating: Cursor(), count: directory.count)
    guard !buffer.arguments.isEmpty else {
      residuals = Storage(0)
      return
    }
    var fewest = [Int](repeating: Int.max, count: directory.count)
    var most = [Int](repeating: 0, count: directory.count)
    let counts = buffer.argumentCounts, kinds = buffer.kinds
    for i in 0..<buffer.count {
      let kind = Int(dense[Int(kinds[i])])
      fewest[kind] = min(fewest[kind], Int(counts[i]))
      most[kind] = max(most[kind], Int(counts[i]))
    }
    var size = 0
    var width = 0
    for index in directory.indices {
      directory[index].arguments = fewest[index]
      directory[index].hasRest = most[index] > fewest[index]
      directory[index].predictors = ArgumentColumns.predictors(directory[index].code, fewest[index])
      cursors[index].fixed = fewest[index]
      cursors[index].rows = directory[index].count
      cursors[index].hasRest = directory[index].hasRest
      cursors[index].column = size
      cursors[index].previous = width
      size += fewest[index] * directory[index].count
      width += fewest[index]
    }
    // SAFETY: The columns of a cursor are `fixed * rows` long and follow one another. Each event of the kind stores
    // one row, and there are `rows` of them.
    residuals = Storage(size)
    sort(buffer, dense, predictors: directory.flatMap(\.predictors))
  }

  private static func predictors(_ code: UInt8, _ count: Int) -> [UInt8] {
    let definition = EventTable.definition(of: EventKind(code))
    return (0..<count).map { position in
      let unit = definition.flatMap { position < $0.arguments.count ? $0.arguments[position].unit : nil }
      return unit == .time ? EventBlockLayout.predictEventTime : EventBlockLayout.predictPrevious
    }
  }

  private func sort(_ buffer: EventBuffer, _ dense: UnsafePointer<UInt8>, predictors: [UInt8]) {
    let counts = buffer.argumentCounts, times = buffer.times, residuals = residuals.start
    let kinds = buffer.kinds
    let eventTime = EventBlockLayout.predictEventTime
    var previous = [UInt64](repeating: 0, count: predictors.count)
    buffer.arguments.withUnsafeBufferPointer { arguments in
      predictors.withUnsafeBufferPointer { predictors in
        previous.withUnsafeMutableBufferPointer { previous in
          cursors.withUnsafeMutableBufferPointer { cursors in
            var at = 0
            for i in 0..<buffer.count {
              let count = Int(counts[i])
              let kind = Int(dense[Int(kinds[i])])
              guard count > 0 || cursors[kind].hasRest else { continue }
              let fixed = cursors[kind].fixed
              var column = cursors[kind].column &+ cursors[kind].row
              for position in 0..<fixed {
                let slot = cursors[kind].previous &+ position
                let value = arguments[at &+ position]
                let predicted = predictors[slot] == eventTime ? times[i] : previous[slot]
                previous[slot] = value
                residuals[column] = Int64(bitPattern: value &- predicted)
                column &+= cursors[kind].rows
              }
              cursors[kind].row &+= 1
              if cursors[kind].hasRest {
                cursors[kind].counts.append(UInt8(clamping: count - fixed))
                for position in fixed..<count {
                  let value = arguments[at + position]
                  cursors[kind].rest.append(Int64(bitPattern: value &- cursors[kind].previousRest))
                  cursors[kind].previousRest = value
                }
              }
              at &+= count
            }
          }
        }
      }
    }
  }

  /// Calls the closures with the columns of the kind at `index` of the directory, in the order in which they are
  /// stored.
  func forEachColumn(
    of index: Int, fixed: (UnsafeBufferPointer<Int64>) -> Void,
    rest: ([UInt8], UnsafeBufferPointer<Int64>) -> Void
  ) {
    let cursor = cursors[index]
    for position in 0..<cursor.fixed {
      let start = cursor.column + position * cursor.rows
      fixed(UnsafeBufferPointer(start: residuals.start + start, count: cursor.rows))
    }
    if cursor.hasRest { cursor.rest.withUnsafeBufferPointer { rest(cursor.counts, $0) } }
  }
}
