import ReportWriting
import TraceTables

/// The categories of markers and frames, each with a marker schema.
struct FirefoxCategories {
  fileprivate struct Category {
    var text: String
    var markers = 0
    /// All markers are slices of threads, so they nest.
    var isNested = true
    var fields: [Field] = []
    /// Places in `fields` by key.
    var places: [String: Int] = [:]
  }

  fileprivate struct Field {
    var key: String
    var format: String
    var markers = 0
  }

  private var categories: [Category] = []
  private var places: [Int: Int] = [:]

  /// The keys of marker data that have a meaning of their own in the front end.
  private static let reserved: Set<String> = ["type", "cause", "stack", "innerWindowID"]
  /// The largest number of fields in the marker table.
  private static let tableFields = 4
  /// Colours that the front end knows. `transparent` is for idle time.
  private static let colors = [
    "run": "lightblue", "pass": "blue", "waiting": "transparent", "timer": "orange", "source0": "green",
    "source1": "lightgreen", "block": "purple", "observer": "yellow", "observers": "yellow", "overdue": "red",
    "stall": "red", "function": "lightgreen", "busy": "lightred", "gap": "lightred", "finding": "magenta",
  ]

  static func renamed(_ argument: Argument) -> Argument {
    guard reserved.contains(argument.key) else { return argument }
    var argument = argument
    argument.key += "_"
    return argument
  }

  /// Returns the index in the list of categories. Index 0 is the category of markers without one.
  mutating func place(_ name: Name) -> Int32 { Int32(truncatingIfNeeded: index(name) + 1) }

  private mutating func index(_ name: Name) -> Int {
    if let known = places[name.number] { return known }
    categories.append(Category(text: name.text))
    places[name.number] = categories.count - 1
    return categories.count - 1
  }

  /// Notes which fields a marker has.
  mutating func note(_ name: Name, _ arguments: [Argument], isNested: Bool) {
    let place = index(name)
    categories[place].markers += 1
    if !isNested { categories[place].isNested = false }
    for argument in arguments { categories[place].note(argument) }
  }

  /// Appends the members `categories` and `markerSchema`.
  func append(to bytes: inout [UInt8]) {
    // The front end requires a grey category.
    bytes += #","categories":[{"name":"Other","color":"grey","subcategories":["Other"]}"#.utf8
    for category in categories {
      bytes += #",{"name":"#.utf8
      JSONString.append(category.text, to: &bytes)
      bytes += #","color":"\#(Self.colors[category.text] ?? "brown")","subcategories":["Other"]}"#.utf8
    }
    bytes += #"],"markerSchema":["#.utf8
    categories.append(",", to: &bytes) { $0.append(to: &$1, tableFields: Self.tableFields) }
    bytes += "]".utf8
  }
}

extension FirefoxCategories.Category {
  fileprivate mutating func note(_ argument: Argument) {
    let format = argument.firefoxFormat
    if let place = places[argument.key] {
      // Every value can be shown as text.
      if fields[place].format != format { fields[place].format = "string" }
      fields[place].markers += 1
    } else {
      places[argument.key] = fields.count
      fields.append(.init(key: argument.key, format: format, markers: 1))
    }
  }

  fileprivate func append(to bytes: inout [UInt8], tableFields: Int) {
    bytes += #"{"name":"#.utf8
    JSONString.append(text, to: &bytes)
    bytes += #","chartLabel":"{marker.name}","tooltipLabel":"{marker.name}","tableLabel":"#.utf8
    JSONString.append(tableLabel(tableFields), to: &bytes)
    // The timeline of a thread shows its samples.
    let display = isNested ? "" : #","timeline-overview""#
    bytes += #","display":["marker-chart","marker-table"\#(display)],"data":["#.utf8
    fields.append(",", to: &bytes) { field, bytes in
      bytes += #"{"key":"#.utf8
      JSONString.append(field.key, to: &bytes)
      bytes += #","label":"#.utf8
      JSONString.append(field.label, to: &bytes)
      bytes += #","format":"\#(field.format)","searchable":true}"#.utf8
    }
    bytes += "]}".utf8
  }

  /// A label with the fields that all markers have: a field that a marker lacks would be shown as empty text.
  private func tableLabel(_ tableFields: Int) -> String {
    let common = fields.filter { $0.markers == markers && !$0.key.contains(".") }.prefix(tableFields)
    guard !common.isEmpty else { return text }
    return common.map { "\($0.label) {marker.data.\($0.key)}" }.joined(separator: ", ")
  }
}

extension FirefoxCategories.Field {
  fileprivate var label: String { key.hasSuffix("_") ? String(key.dropLast()) : key }
}

extension Argument {
  /// The front end's name for the way to show the value.
  var firefoxFormat: String {
    guard case .integer = value else { return "string" }
    return key.hasSuffix("_ns") || key.hasPrefix("ledger_ns.") ? "nanoseconds" : "integer"
  }
}
