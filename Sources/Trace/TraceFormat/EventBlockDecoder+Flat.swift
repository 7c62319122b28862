/// Flat blocks: columns in the order of events, which a recorder under pressure writes fast.
extension EventBlockDecoder {
  /// Decodes the columns of a flat block into `out`, which has room for `count` events.
  func decodeFlat(
    _ columns: [Column], count: Int, first: UInt64, last: UInt64, into out: DecodedEvents
  ) throws(PayloadError) {
    let kinds = columns[0]
    guard kinds.count == count else { throw EventBlockDecoder.wrongFlatColumn }
    for i in 0..<count { out.kinds[i] = kinds[i] }
    try spread(columns[3], count: count, into: out.times)
    try spread(columns[4], count: count, into: out.objects)
    try addUp(columns[2], count: count, first: first, last: last, in: out)
    try fillModes(columns[1], count: count, into: out)
    out.count = count
    try decodeFlatArguments(counts: columns[5], columns[6], into: out)
  }

  private static let wrongFlatColumn = PayloadError.malformed("a column of a flat block has a wrong size")

  /// Reads values of two or four bytes.
  private func spread<Value: FixedWidthInteger>(
    _ column: Column, count: Int, into out: UnsafeMutablePointer<Value>
  ) throws(PayloadError) {
    switch column.count {
    case 2 * count: for i in 0..<count { out[i] = Value(column.integer(at: 2 &* i, UInt16.self)) }
    case 4 * count: for i in 0..<count { out[i] = Value(column.integer(at: 4 &* i, UInt32.self)) }
    default: throw EventBlockDecoder.wrongFlatColumn
    }
  }

  /// Sorts the arguments by kind. `counts` is empty if no event has any.
  private func decodeFlatArguments(
    counts: Column, _ values: Column, into out: DecodedEvents
  ) throws(PayloadError) {
    let total = counts.reduce(0) { $0 + Int($1) }
    try checkArguments(total)
    guard counts.isEmpty || counts.count == out.count, values.count == 8 * total else {
      throw EventBlockDecoder.wrongFlatColumn
    }
    // The position of each kind's arguments in `sorted`, plus 1; 0 = none.
    var places = [Int](repeating: 0, count: 256)
    var sorted: [DecodedEvents.KindArguments] = []
    for i in counts.indices where counts[i] > 0 && places[Int(out.kinds[i])] == 0 {
      sorted.append(DecodedEvents.KindArguments(restStarts: [0]))
      places[Int(out.kinds[i])] = sorted.count
    }
    var next = 0
    for i in counts.indices {
      let place = places[Int(out.kinds[i])] - 1
      guard place >= 0 else { continue }
      for _ in 0..<counts[i] {
        sorted[place].rest.append(values.integer(at: 8 * next, UInt64.self))
        next += 1
      }
      sorted[place].restStarts.append(sorted[place].rest.count)
    }
    for (kind, place) in places.enumerated() where place > 0 {
      out.setArguments(sorted[place - 1], kind: UInt8(kind))
    }
  }
}
