import ArgumentParser
import Foundation

/// One row of a workload file, as tools/benchmark/reference/workload.h lays it out; little-endian.
struct WorkloadRow {
  var timeNs: UInt64
  var object: UInt32
  var kind: UInt8
  var mode: UInt8
  var reserved: UInt16
}

/// Reads a workload file in chunks, so that memory stays small whatever the file's length.
struct RowsFile {
  static let rowsPerChunk = 1 << 16
  private static let kindMax: UInt8 = 7

  private let path: String
  private let file: FileHandle
  private var rowsRead = 0

  init(path: String) throws {
    guard let file = FileHandle(forReadingAtPath: path) else { throw failure(66, "\(path): cannot open") }
    self.path = path
    self.file = file
  }

  /// Fills `rows`, which must have room for a chunk. Returns how many rows there were, 0 at the end.
  mutating func read(into rows: UnsafeMutableBufferPointer<WorkloadRow>) throws -> Int {
    let bytes = UnsafeMutableRawBufferPointer(rows)
    var filled = 0
    while filled < bytes.count {
      let count = Foundation.read(file.fileDescriptor, bytes.baseAddress! + filled, bytes.count - filled)
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw failure(74, "\(path): cannot read: \(String(cString: strerror(errno)))") }
      if count == 0 { break }
      filled += count
    }
    let stride = MemoryLayout<WorkloadRow>.stride
    guard filled.isMultiple(of: stride) else { throw failure(65, "\(path): ends inside a row") }
    let count = filled / stride
    if let bad = rows.prefix(count).firstIndex(where: { $0.kind > RowsFile.kindMax }) {
      let kind = rows[bad].kind
      throw failure(65, "\(path): row \(rowsRead + bad) has kind \(kind), the largest is \(RowsFile.kindMax)")
    }
    rowsRead += count
    return count
  }
}
