import CRLTraceShims
import Foundation
import TestSupport
import TraceCompression
import TraceFormat

@testable import TraceRecorder

/// A spool of some events, as a killed program leaves it, and patches to it, so that most inputs reach recovery. A
/// patch is two bytes for the place, one byte for the length, and the new bytes.
final class SpoolFile: @unchecked Sendable {
  private static let slotsPerRing = 64
  private static let ringsInUse = 3
  /// The size of the header and the first rings. Inputs of the corpus depend on it.
  private static let headBytes = 114_688

  private let folder: TemporaryFolder
  private let path: String
  /// The header, the rings, the first names and the slots in use.
  private let places: [Range<Int>]
  /// Serializes the inputs, which share one file.
  private let lock = NSLock()

  init() throws {
    folder = try TemporaryFolder()
    path = folder.file("x.rltrace.spool")
    let spool = try Spool(
      creating: path, slotsPerRing: Self.slotsPerRing, flags: 0, timeUnit: .ns10, recording: 1)
    // No process uses the spool.
    spool.header.pointee.recorder_pid = 0
    spool.header.pointee.program_pid = 0
    let reading = rlt_read_clocks(0)
    spool.header.pointee.origin = reading
    for name in ["kCFRunLoopDefaultMode", "tick"] {
      _ = rlt_spool_append_string(spool.header, UInt16(RLT_NAME_STRING), name, name.utf8.count)
    }
    for thread in 0..<Self.ringsInUse {
      var isScarce: Int32 = 0
      guard let ring = rlt_spool_claim(spool.header, 1, &isScarce) else { continue }
      ring.pointee.thread = rlt_spool_claim_thread(spool.header)
      for number in 0..<20 {
        let kind: EventKind = number & 1 == 0 ? .beforeTimersLow : .beforeSourcesLow
        rlt_store(
          rlt_slot(ring, UInt64(number)), reading.ticks + UInt64(1_000 * number), kind.rawValue, 1,
          UInt32(1 + thread), 0)
      }
      rlt_publish(ring, 20)
      rlt_ring_set_state(ring, UInt32(RLT_RING_OWNED))
    }
    let names = Int(spool.header.pointee.names_offset), slots = Int(spool.header.pointee.slots_offset)
    places = [
      0..<SpoolFile.headBytes, names..<names + 4096,
      slots..<slots + Self.ringsInUse * Self.slotsPerRing * 16,
    ]
  }

  /// Returns the errors in the trace that is recovered from the spool with these patches.
  func complaints(_ patches: [UInt8]) throws -> [String] {
    lock.lock()
    defer { lock.unlock() }
    var undo: [(at: Int, bytes: [UInt8])] = []
    let descriptor = open(path, O_RDWR | O_CLOEXEC)
    defer {
      for (at, bytes) in undo.reversed() { _ = pwrite(descriptor, bytes, bytes.count, off_t(at)) }
      close(descriptor)
    }
    var rest = patches[...]
    while rest.count > 3 {
      let place = Int(rest.removeFirst()) | Int(rest.removeFirst()) << 8
      let bytes = Array(rest.dropFirst().prefix(Int(rest.removeFirst() & 31)))
      rest = rest.dropFirst(bytes.count)
      let at = offset(place)
      var former = [UInt8](repeating: 0, count: bytes.count)
      guard pread(descriptor, &former, former.count, off_t(at)) == former.count else { continue }
      undo.append((at, former))
      _ = pwrite(descriptor, bytes, bytes.count, off_t(at))
    }
    let sink = MemorySink()
    _ = try SpoolRecovery.recover(
      Spool(opening: path, privately: true), trace: folder.file("x.rltrace"), options: RecordingOptions(),
      codecs: allCodecs, makeNaming: nil, keepsParts: true
    ) { sink }
    let reader = try openTrace(sink.bytes)
    try reader.verify()
    return reader.isClean
      ? [] : ["the recovered trace is incomplete: \(reader.problem.map { "\($0)" } ?? "")"]
  }

  /// Returns the offset in the spool for a step. Steps count groups of eight bytes across all places to patch.
  private func offset(_ step: Int) -> Int {
    var left = step * 8 % places.reduce(0) { $0 + $1.count }
    for place in places {
      if left < place.count { return place.lowerBound + left }
      left -= place.count
    }
    return 0
  }
}

extension FuzzTarget {
  private static let spoolFile = try? SpoolFile()

  static func recovered(_ bytes: [UInt8]) throws -> [String] {
    try spoolFile?.complaints(bytes) ?? ["no spool could be made"]
  }
}
