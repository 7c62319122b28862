import ArgumentParser
import TraceFormat

/// What people choose on the command line by a name.
protocol Choosable: Named {
  static var choices: [Self] { get }
}

extension Choosable {
  static var choices: [Self] { Array(allCases) }
}

extension TimeUnit: Choosable {}
extension CodecID: Choosable {}
extension CaptureLevel: Choosable {
  static var choices: [CaptureLevel] { [.activities, .callouts] }
}
extension ClockSource: Choosable {
  static var choices: [ClockSource] { [.cycleCounter, .monotonic] }
}

/// Such a value as an option: help would show the number.
struct Choice<Value: Choosable>: ExpressibleByArgument {
  let value: Value

  init(_ value: Value) { self.value = value }

  init?(argument: String) {
    guard let value = Value(name: argument), Self.allValueStrings.contains(argument) else { return nil }
    self.value = value
  }

  var defaultValueDescription: String { value.name }
  static var allValueStrings: [String] { Value.choices.map(\.name) }
  static var defaultCompletionKind: CompletionKind { .list(allValueStrings) }
}
