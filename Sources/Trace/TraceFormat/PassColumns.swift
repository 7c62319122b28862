/// Splits equal passes, in which each kind occurs once, into columns, one for each position in a pass.
///
/// SAFETY: The caller makes sure that the passes exist and that there is room for them after each kind's cursor.
struct PassColumns {
  let kinds: UnsafeBufferPointer<UInt8>
  let passes: Int
  /// The position of the first pass in a kind's column, by kind.
  let cursors: UnsafePointer<Int>

  private typealias Four = SIMD4<UInt32>

  /// Nil when a kind occurs twice, because its column would take two values of each pass.
  init?(_ kinds: UnsafeBufferPointer<UInt8>, passes: Int, cursors: UnsafePointer<Int>) {
    var seen = SIMD4<UInt64>()
    for kind in kinds {
      let word = Int(kind / 64), bit: UInt64 = 1 &<< UInt64(kind % 64)
      guard seen[word] & bit == 0 else { return nil }
      seen[word] |= bit
    }
    self.kinds = kinds
    self.passes = passes
    self.cursors = cursors
  }

  /// Fills the columns: four places of four passes at a time, then the rest of both.
  func fill(_ columns: UnsafeMutablePointer<UInt32>, from values: UnsafePointer<UInt32>) {
    let length = kinds.count
    let places = length & ~3, fours = passes & ~3
    func column(_ place: Int) -> UnsafeMutablePointer<UInt32> { columns + cursors[Int(kinds[place])] }
    var place = 0
    while place < places {
      let a = column(place), b = column(place &+ 1), c = column(place &+ 2), d = column(place &+ 3)
      var from = UnsafeRawPointer(values + place)
      let step = MemoryLayout<UInt32>.stride &* length
      var pass = 0
      while pass < fours {
        let rows = SIMD16(
          lowHalf: SIMD8(lowHalf: load(from), highHalf: load(from + step)),
          highHalf: SIMD8(lowHalf: load(from + 2 &* step), highHalf: load(from + 3 &* step)))
        // Every second value of every second value is every fourth value: a column.
        let even = rows.evenHalf, odd = rows.oddHalf
        store(even.evenHalf, to: a + pass)
        store(odd.evenHalf, to: b + pass)
        store(even.oddHalf, to: c + pass)
        store(odd.oddHalf, to: d + pass)
        from += 4 &* step
        pass &+= 4
      }
      place &+= 4
    }
    for place in 0..<length {
      let column = column(place)
      for pass in (place < places ? fours : 0)..<passes { column[pass] = values[pass &* length &+ place] }
    }
  }

  @inline(__always) private func load(_ from: UnsafeRawPointer) -> Four { from.loadUnaligned(as: Four.self) }

  @inline(__always) private func store(_ four: Four, to target: UnsafeMutablePointer<UInt32>) {
    UnsafeMutableRawPointer(target).storeBytes(of: four, as: Four.self)
  }
}
