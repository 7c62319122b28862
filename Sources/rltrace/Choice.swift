import ArgumentParser
import TraceFormat

/// What a trace stores as a number and people know by a name.
protocol NamedNumber { var name: String { get } }

extension CaptureLevel: NamedNumber {}
extension TimeUnit: NamedNumber {}
extension ClockSource: NamedNumber {}
extension CodecID: NamedNumber {}

/// Such a value as an option with a default: help would show the number.
struct Choice<Value: ExpressibleByArgument & NamedNumber>: ExpressibleByArgument {
  let value: Value

  init(_ value: Value) { self.value = value }

  init?(argument: String) {
    guard let value = Value(argument: argument) else { return nil }
    self.value = value
  }

  var defaultValueDescription: String { value.name }
  static var allValueStrings: [String] { Value.allValueStrings }
  static var defaultCompletionKind: CompletionKind { .list(allValueStrings) }
}
