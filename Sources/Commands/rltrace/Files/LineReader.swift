import SystemSupport
import TraceFormat

/// Reads the lines of a text file or of standard input in bounded memory.
final class LineReader {
  private let file: UnsafeMutablePointer<FILE>
  private let limit: Int
  private var piece = [UInt8](repeating: 0, count: 1 << 16)
  /// The part of `piece` that has not been split into lines yet.
  private var rest = 0..<0
  private var line: [UInt8] = []
  private(set) var bytesRead = 0

  /// Opens the file; `-` is standard input. A line longer than `limit` bytes is returned with one extra byte, so that
  /// the caller can report it. The next call skips its rest.
  init(path: String, lineLimit limit: Int) throws(Failure) {
    file = try TextFile.open(path)
    self.limit = limit
  }

  deinit { fclose(file) }

  /// Returns the next line without its newline; nil at the end.
  func next() throws(TraceFormatError) -> String? {
    if line.count > limit { try skipLine() }
    line.removeAll(keepingCapacity: true)
    while line.count <= limit {
      if rest.isEmpty, try !fill() { return line.isEmpty ? nil : String(decoding: line, as: UTF8.self) }
      let room = rest.prefix(limit + 1 - line.count)
      guard let end = piece[room].firstIndex(of: UInt8(ascii: "\n")) else {
        line += piece[room]
        rest = room.upperBound..<rest.upperBound
        continue
      }
      let found = piece[rest.lowerBound..<end]
      rest = end + 1..<rest.upperBound
      if line.isEmpty { return String(decoding: found, as: UTF8.self) }
      line += found
      return String(decoding: line, as: UTF8.self)
    }
    return String(decoding: line, as: UTF8.self)
  }

  private func skipLine() throws(TraceFormatError) {
    while true {
      if let end = piece[rest].firstIndex(of: UInt8(ascii: "\n")) {
        rest = end + 1..<rest.upperBound
        return
      }
      guard try fill() else { return }
    }
  }

  /// Reads the next piece; returns false at the end.
  private func fill() throws(TraceFormatError) -> Bool {
    rest = 0..<fread(&piece, 1, piece.count, file)
    guard ferror(file) == 0 else { throw .system(.reading, code: errno) }
    bytesRead += rest.count
    return !rest.isEmpty
  }
}
