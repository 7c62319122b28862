import ArgumentParser
import TraceFormat

/// The words that an option accepts. The parser has the same code for any raw value, with a key path that it makes anew
/// for each use.
protocol OptionWord: ExpressibleByArgument, CaseIterable, RawRepresentable where RawValue == String {}

extension OptionWord {
  static var allValueStrings: [String] { allCases.map { $0.rawValue } }
  static var allValueDescriptions: [String: String] { [:] }
}

/// A value that the user selects by name on the command line.
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

/// A selectable value as an option. Without this type, help would show the raw number.
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
