/// The heading of a column in tables for people, and its position.
package struct Heading: Sendable {
  /// The outputs that show the column.
  package struct Readers: OptionSet, Sendable {
    package let rawValue: Int
    package init(rawValue: Int) { self.rawValue = rawValue }

    package static let text = Readers(rawValue: 1)
    package static let page = Readers(rawValue: 2)
    package static let all: Readers = [.text, .page]
  }

  package var title: String
  /// An explanation beyond the title.
  package let tip: String
  /// The position in tables for people, whose order differs from that of the columns.
  var place: Int
  let readers: Readers
  /// Whether the column holds file and line. Text never cuts them.
  package let isSource: Bool
  /// Whether a table without any value in the column omits the column, as for file and line.
  package let isOptional: Bool

  package init(
    _ title: String, _ tip: String = "", at place: Int, in readers: Readers = .all, isSource: Bool = false,
    isOptional: Bool = false
  ) {
    self.title = title
    self.tip = tip
    self.place = place
    self.readers = readers
    self.isSource = isSource
    self.isOptional = isSource || isOptional
  }
}

/// The kind of a column's values in human-readable tables.
package enum Unit: Sendable {
  /// A time in nanoseconds.
  case time
  case count
  /// The index of a thread.
  case thread
  /// A name from the trace.
  case name
  case words
}

/// A value as people see it.
package enum Shown: Sendable, Equatable {
  case time(UInt64)
  /// A moment with the length of the span that begins there.
  case moment(UInt64, length: UInt64)
  case count(UInt64)
  case share(Double)
  /// The difference between two times; `change` is the difference between two counts.
  case timeChange(Int64)
  case change(Int64)
  case thread(UInt32)
  case name(String)
  case words(String)
  case unknown
}

extension AnyColumn {
  func shown(_ row: AnyRow) -> Shown {
    if let shown = people.replacement?(row) { return shown }
    switch value(row) {
    case .integer(let number):
      if let length = people.length { return .moment(number, length: length(row)) }
      return switch people.unit {
      case .time: .time(number)
      case .thread: .thread(UInt32(clamping: number))
      default: .count(number)
      }
    case .signed(let number): return people.unit == .time ? .timeChange(number) : .change(number)
    case .number(let share): return .share(share)
    case .text(let text): return people.unit == .name ? .name(text) : .words(text)
    case .truth(let isSo): return .words(isSo ? "yes" : "no")
    default: return .unknown
    }
  }

  var isOfWords: Bool { [.thread, .name, .words].contains(people.unit) }
}

extension Column {
  package func shown(_ row: Row) -> Shown { AnyRow.with(row, any.shown) }

  /// Whether its values are not numbers.
  package var isOfWords: Bool { any.isOfWords }
}

extension Column {
  /// A column with the index of a thread.
  static func thread<V: ValueConvertible>(
    _ about: String = "index of the thread", _ read: @escaping @Sendable (Row) -> V
  ) -> Column {
    Column("thread", about, read).shown(as: .thread)
  }

  /// A column with the start time of what the row describes.
  static func start<V: ValueConvertible>(_ read: @escaping @Sendable (Row) -> V) -> Column {
    Column("start_ns", "start, in nanoseconds since the trace's origin", read)
  }

  /// Makes the column the name of the row.
  func named(_ title: String, _ tip: String = "", at place: Int, in readers: Heading.Readers = .all) -> Column
  {
    shown(as: .name).headed(title, tip, at: place, in: readers)
  }
}
