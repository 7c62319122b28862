import TraceAnalysis

/// Names from the trace for the report's script, each once.
///
/// A name may be long. Beyond a limit for all names together, names are cut and marked as cut.
struct NameList {
  private static let limit = 400_000
  private static let nameLimit = 20_000
  private(set) var texts: [String] = []
  private var numbers: [String: Int] = [:]
  private var bytes = 0

  mutating func number(of name: String) -> Int {
    if let number = numbers[name] { return number }
    var text = NameList.clean(name)
    if text.utf8.count > 200, bytes + text.utf8.count > Self.limit {
      text = "\(text.prefix(200))… (cut: the report holds no more names of this length)"
    }
    bytes += text.utf8.count
    texts.append(text)
    numbers[name] = texts.count - 1
    return texts.count - 1
  }

  /// Returns the name in a form that is safe in a page: without characters that change the text direction, and at
  /// most 20,000 characters long.
  static func clean(_ name: String) -> String {
    var out = String.UnicodeScalarView()
    for scalar in name.unicodeScalars.prefix(nameLimit) { out.append(scalar.visible) }
    let text = String(out)
    return name.unicodeScalars.count <= nameLimit
      ? text : text + "… (cut: \(name.unicodeScalars.count) characters)"
  }
}
