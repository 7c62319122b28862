/// A part of a file that was skipped because it is not an intact block.
struct SkippedRegion {
  let bytes: Range<UInt64>
  /// The number of blocks before it.
  let block: Int
  let error: TraceFormatError
  /// The header that its first bytes seem to be.
  let header: BlockHeader?
}

extension TraceReader {
  /// Describes a block at a known place that cannot be used. Its entry comes from an index or from an intact header.
  func lost(block number: Int, _ error: TraceFormatError) -> LostPart { lost(blocks[number], number, error) }

  private func lost(_ entry: BlockEntry, _ number: Int, _ error: TraceFormatError) -> LostPart {
    let isEvents = entry.type == .events
    return LostPart(
      bytes: entry.offset..<entry.end, block: number, error: error, thread: isEvents ? entry.thread : nil,
      events: .exactly(isEvents ? UInt64(entry.count) : 0), earliest: entry.first, latest: entry.last)
  }

  /// The number of regions whose time spans are determined. Each takes a walk over all blocks, and a file may consist
  /// of nothing but gaps.
  private static let spans = 100

  /// The contents of the skipped regions: as listed by an index that was found elsewhere, else bounded by their size.
  var lostRegions: [LostPart] {
    regions.enumerated().flatMap { place, region in
      // The index lists all blocks before it, and none follow it.
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
    func place(_ offset: UInt64) -> Int { indexed.firstPlace { $0.offset >= offset } }
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

  /// Returns the time span of the events lost before block `number`, if they belong to a thread that has other
  /// blocks.
  ///
  /// The blocks of a thread are in time order. So its lost events lie between its blocks before and after the
  /// region. A thread without a block before may have begun at the origin, and a thread without a block after may have
  /// continued.
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
  /// The end of the block's payload.
  var end: UInt64 { offset &+ UInt64(BlockHeader.byteCount + payloadBytes) }
}
