import CallStacks
import ReportWriting
import TraceAnalysis

/// The sampled stacks as a profile of pprof, without compression.
///
/// Source: `profile.proto` of the project google/pprof. A sample is a row of table `stacks`. Its values are the number
/// of samples and the gap time that they represent. The string table comes last, when all texts are known.
package struct PprofProfile {
  package static let name = "pprof"

  /// The file.
  package var bytes: [UInt8] { file.bytes }
  private var file = Protobuf()
  private var texts = Numbered<String>()
  private var mappings = Numbered<Mapping>()
  private var functions = Numbered<Function>()
  private var locations = Numbered<Location>()

  // Each member is a text, by its number.
  private struct Mapping: Hashable {
    var path: UInt64
    var buildID: UInt64
  }

  private struct Function: Hashable {
    var name: UInt64
    var symbol: UInt64
    var file: UInt64
  }

  private struct Location: Hashable {
    /// 0 = not known.
    var mapping: UInt64
    var function: UInt64
    var line: UInt64
  }

  package init(_ analysis: Analysis) {
    // The first text must be empty.
    _ = texts.place(of: "")
    let time = text("time")
    for (type, unit) in [(text("samples"), text("count")), (time, text("nanoseconds"))] {
      file.message(1) {
        $0.varint(1, type)
        $0.varint(2, unit)
      }
    }
    for stack in analysis.sampledStacks { add(stack) }
    if let start = analysis.trace.startRealtimeNs { file.varint(9, signed(start &+ analysis.trace.fromNs)) }
    file.varint(10, signed(analysis.trace.toNs &- analysis.trace.fromNs))
    file.varint(14, time)
    addTables()
  }

  private mutating func add(_ stack: SampledStack) {
    let ids = stack.frames.map { location($0) }
    let named = [("thread", stack.threadName), ("reason", stack.reason.name)].filter { !$0.1.isEmpty }
    let labels = named.map { (key: text($0.0), value: text($0.1)) }
    let thread = text("thread_id")
    let values = [signed(stack.samples), signed(stack.durationNs)]
    file.message(2) { sample in
      for id in ids { sample.varint(1, id) }
      for value in values { sample.varint(2, value) }
      for (key, value) in labels {
        sample.message(3) {
          $0.varint(1, key)
          $0.varint(2, value)
        }
      }
      guard stack.osThread > 0 else { return }
      sample.message(3) {
        $0.varint(1, thread)
        $0.varint(3, signed(stack.osThread))
      }
    }
  }

  private mutating func location(_ frame: StackFrame) -> UInt64 {
    var mapping: UInt64 = 0
    if let path = frame.imagePath ?? frame.image {
      mapping = mappings.id(of: Mapping(path: text(path), buildID: text(frame.imageID ?? "")))
    }
    let function = Function(
      name: text(frame.name), symbol: text(frame.symbol ?? ""), file: text(frame.file ?? ""))
    return locations.id(
      of: Location(
        mapping: mapping, function: functions.id(of: function), line: UInt64(clamping: frame.line ?? 0)))
  }

  /// Returns the number of a text.
  private mutating func text(_ text: String) -> UInt64 { UInt64(texts.place(of: ShownName.of(text))) }

  private mutating func addTables() {
    for (place, mapping) in mappings.elements.enumerated() {
      file.message(3) {
        $0.varint(1, UInt64(place) + 1)
        $0.varint(5, mapping.path)
        $0.varint(6, mapping.buildID)
        // It has functions, files, lines and inlined functions, so pprof does not look for them.
        for field in 7...10 { $0.varint(field, 1) }
      }
    }
    for (place, location) in locations.elements.enumerated() {
      file.message(4) {
        $0.varint(1, UInt64(place) + 1)
        $0.varint(2, location.mapping)
        $0.message(4) {
          $0.varint(1, location.function)
          $0.varint(2, location.line)
        }
      }
    }
    for (place, function) in functions.elements.enumerated() {
      file.message(5) {
        $0.varint(1, UInt64(place) + 1)
        $0.varint(2, function.name)
        $0.varint(3, function.symbol)
        $0.varint(4, function.file)
      }
    }
    for text in texts.elements { file.text(6, text) }
  }
}

extension Numbered {
  /// Returns the id of a value, which is never 0.
  fileprivate mutating func id(of element: Element) -> UInt64 { UInt64(place(of: element)) + 1 }
}

/// Returns a number that fits into the signed 64 bits of the format.
private func signed(_ number: UInt64) -> UInt64 { min(number, UInt64(Int64.max)) }
