import Foundation

/// The settings in the environment of the test run. docs/reference/budgets.md lists the variables.
struct BudgetSettings: Sendable {
  /// The factor for limits that are times.
  var scale = 1.0
  /// Whether a loop that is blocked permanently ends the test run.
  var aborts = false
  /// The folder for traces of failed tests; nil = a folder of this process among the temporary files.
  var folder: String?
  /// Messages about variables with values that cannot be used. They fail every test.
  var mistakes: [String] = []

  static let scaleName = "RLTRACE_BUDGET_SCALE"
  static let abortName = "RLTRACE_BUDGET_ABORT"
  static let folderName = "RLTRACE_BUDGET_TRACES"
  private static let largestScale = 1000.0

  static let current = BudgetSettings(ProcessInfo.processInfo.environment)

  init(_ environment: [String: String]) {
    if let text = environment[Self.scaleName], !text.isEmpty {
      if let scale = Double(text), scale > 0, scale <= Self.largestScale {
        self.scale = scale
      } else {
        mistakes.append(
          "\(Self.scaleName)=\(text): expected a factor above 0 and up to \(Int(Self.largestScale)), such as 3"
        )
      }
    }
    switch environment[Self.abortName] ?? "" {
    case "", "0": aborts = false
    case "1": aborts = true
    case let text: mistakes.append("\(Self.abortName)=\(text): expected 0 or 1")
    }
    folder = environment[Self.folderName].flatMap { $0.isEmpty ? nil : $0 }
  }
}
