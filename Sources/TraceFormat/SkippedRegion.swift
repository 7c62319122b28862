/// A stretch of a file that was walked over because it is no intact block.
struct SkippedRegion {
  let bytes: Range<UInt64>
  /// How many blocks stand before it.
  let block: Int
  let error: TraceFormatError
  /// What seems to begin there.
  let header: BlockHeader?
}

extension TraceReader {
  /// A block that is where it should be, and cannot be used. Its entry is of an index or a header that was intact.
  func lost(block number: Int, _ error: TraceFormatError) -> LostPart { lost(blocks[number], number, error) }

  private func lost(_ entry: BlockEntry, _ number: Int, _ error: TraceFormatError) -> LostPart {
    let isEvents = entry.type == .events
    return LostPart(
      bytes: entry.offset..<entry.end, block: number, error: error, thread: isEvents ? entry.thread : nil,
      events: .exactly(isEvents ? UInt64(entry.count) : 0), earliest: entry.first, latest: entry.last)
  }

  /// How far spans are looked for: each takes a walk over all blocks, and a file may be made of nothing but gaps.
  private static let spans = 100

  /// What stood in stretches that are no blocks: by an index that was found elsewhere, else by what they can have held.
  var lostRegions: [LostPart] {
    regions.enumerated().flatMap { place, region in
      // The index lists all blocks before it.
      if !indexed.isEmpty, region.bytes.lowerBound >= indexEnd { return [empty(region)] }
      let listed = listed(in: region.bytes)
      if let first = listed.first, first.offset == region.bytes.lowerBound,
        listed.last?.end == region.bytes.upperBound,
        zip(listed, listed.dropFirst()).allSatisfy({ $0.end == $1.offset })
      {
        return listed.enumerated().map { lost($1, region.block + $0, region.error) }
      }
      return [bounded(region, hasSpan: place < Self.spans)]
    }
  }

  private func listed(in bytes: Range<UInt64>) -> ArraySlice<BlockEntry> {
    func place(_ offset: UInt64) -> Int {
      var low = 0
      var high = indexed.count
      while low < high {
        let middle = (low + high) / 2
        if indexed[middle].offset < offset { low = middle + 1 } else { high = middle }
      }
      return low
    }
    return indexed[place(bytes.lowerBound)..<place(bytes.upperBound)]
  }

  private func empty(_ region: SkippedRegion) -> LostPart {
    LostPart(
      bytes: region.bytes, block: region.block, error: region.error, events: .exactly(0), earliest: lastTime,
      latest: lastTime)
  }

  private func bounded(_ region: SkippedRegion, hasSpan: Bool) -> LostPart {
    let isEnd = region.bytes.upperBound == fileSize && indexed.isEmpty
    let size = region.bytes.upperBound - region.bytes.lowerBound
    let isOne = region.header.map { BlockHeader.byteCount + $0.payloadBytes == Int(size) } ?? false
    let room = isOne ? 1 : max(1, size / UInt64(BlockHeader.byteCount + 1))
    let stated = isOne && region.header?.type == .events ? region.header.map { UInt64($0.count) } : nil
    let span = hasSpan ? neighbours(of: region.block) : (earliest: 0, latest: nil)
    return LostPart(
      bytes: region.bytes, block: region.block, error: region.error,
      events: isEnd ? .unknown : .atMost(room * UInt64(TraceLimits.eventsPerBlock), stated: stated),
      earliest: span.earliest, latest: isEnd ? nil : span.latest)
  }

  /// Blocks of a thread are in order of time: what is lost before block `number` lies between the thread's block before
  /// it and that behind it, whichever of the threads of other blocks it is of. One that has no block before it may have
  /// begun at the origin, and one that has none behind it may have gone on.
  private func neighbours(of number: Int) -> (earliest: UInt64, latest: UInt64?) {
    var before: [UInt32: UInt64] = [:]
    var behind: [UInt32: UInt64] = [:]
    for entry in blocks[..<number] where entry.type == .events { before[entry.thread] = entry.last }
    for entry in blocks[number...] where entry.type == .events && behind[entry.thread] == nil {
      behind[entry.thread] = entry.first
    }
    let known = Set(before.keys).union(behind.keys)
    guard !known.isEmpty else { return (0, nil) }
    return (
      known.map { before[$0] ?? 0 }.min() ?? 0,
      known.allSatisfy { behind[$0] != nil } ? behind.values.max() : nil
    )
  }
}

extension BlockEntry {
  /// Behind its payload.
  var end: UInt64 { offset &+ UInt64(BlockHeader.byteCount + payloadBytes) }
}
