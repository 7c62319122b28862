/// The contents of a profile of pprof, read by code that shares nothing with the writer.
struct PprofFile {
  struct Sample {
    /// The functions, outermost first.
    var names: [String]
    var values: [UInt64]
    var labels: [String: String]
  }

  var texts: [String] = []
  /// Types and units of the values.
  var types: [String] = []
  var samples: [Sample] = []

  init(_ bytes: [UInt8]) {
    let fields = Array(PerfettoFile.Fields(bytes[...]))
    func messages(_ field: UInt64) -> [[(UInt64, PerfettoFile.Field)]] {
      fields.filter { $0.0 == field }.map { Array(PerfettoFile.Fields($0.1.bytes)) }
    }
    func number(_ field: UInt64, _ message: [(UInt64, PerfettoFile.Field)]) -> UInt64 {
      message.first { $0.0 == field }?.1.number ?? 0
    }
    let texts = fields.filter { $0.0 == 6 }.map { String(decoding: $0.1.bytes, as: UTF8.self) }
    func text(_ field: UInt64, _ message: [(UInt64, PerfettoFile.Field)]) -> String {
      let place = Int(number(field, message))
      return texts.indices.contains(place) ? texts[place] : "?"
    }
    self.texts = texts
    types = messages(1).map { "\(text(1, $0)) \(text(2, $0))" }
    var functions: [UInt64: String] = [:]
    for function in messages(5) { functions[number(1, function)] = text(2, function) }
    var locations: [UInt64: String] = [:]
    for location in messages(4) {
      let line = location.first { $0.0 == 4 }.map { Array(PerfettoFile.Fields($0.1.bytes)) } ?? []
      locations[number(1, location)] = functions[number(1, line)]
    }
    samples = messages(2).map { sample in
      var labels: [String: String] = [:]
      for (field, label) in sample where field == 3 {
        let label = Array(PerfettoFile.Fields(label.bytes))
        labels[text(1, label)] = text(2, label)
      }
      return Sample(
        names: sample.filter { $0.0 == 1 }.reversed().map { locations[$0.1.number] ?? "?" },
        values: sample.filter { $0.0 == 2 }.map(\.1.number), labels: labels)
    }
  }
}
