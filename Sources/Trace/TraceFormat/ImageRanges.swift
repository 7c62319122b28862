/// Finds the image that contains an address. If several do, the last image of the list wins, because a library may
/// have replaced another one. O(log images) per address.
package struct ImageRanges {
  /// The starts of ranges that belong to one image, in order of addresses, and the image of each; -1 = none.
  private var starts: [UInt64] = []
  private var images: [Int] = []

  package init(_ ranges: [Range<UInt64>]) {
    var borders: [(address: UInt64, isEnd: Bool, image: Int)] = []
    for (image, range) in ranges.enumerated() where !range.isEmpty {
      borders.append((range.lowerBound, false, image))
      borders.append((range.upperBound, true, image))
    }
    borders.sort { $0.address < $1.address }
    /// The open images, in the order of the list.
    var open: [Int] = []
    for (number, border) in borders.enumerated() {
      let place = open.firstPlace { $0 >= border.image }
      if border.isEnd { open.remove(at: place) } else { open.insert(border.image, at: place) }
      guard number + 1 == borders.count || borders[number + 1].address > border.address else { continue }
      starts.append(border.address)
      images.append(open.last ?? -1)
    }
  }

  /// Returns the image's index in the list; nil = no image contains the address.
  package func image(at address: UInt64) -> Int? {
    let next = starts.firstPlace { $0 > address }
    return next > 0 && images[next - 1] >= 0 ? images[next - 1] : nil
  }
}
