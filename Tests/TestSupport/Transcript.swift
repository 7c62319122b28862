import Foundation

/// A page of the docs that shows commands and their output in indented blocks. `$ ` begins a command, a backslash at the
/// end of a line continues it, and `…` stands for omitted text.
package struct Transcript {
  /// One command and the lines below it.
  package struct Step {
    package var command: String
    package var output: [String]
    /// The lines of the page that the output occupies.
    var lines: Range<Int>
  }

  private static let indent = "    ", prompt = "    $ "

  package let page: String
  package let steps: [Step]

  package init(page: String) {
    self.page = page
    let lines = page.components(separatedBy: "\n")
    var steps: [Step] = []
    var isFenced = false
    var number = 0
    while number < lines.count {
      if lines[number].hasPrefix("```") { isFenced.toggle() }
      guard !isFenced, lines[number].hasPrefix(Self.prompt) else {
        number += 1
        continue
      }
      var command = String(lines[number].dropFirst(Self.prompt.count))
      while command.hasSuffix("\\"), number + 1 < lines.count {
        number += 1
        command += "\n" + lines[number].trimmingCharacters(in: .whitespaces)
      }
      let start = number + 1
      var end = start
      while end < lines.count, lines[end].hasPrefix(Self.indent), !lines[end].hasPrefix(Self.prompt) {
        end += 1
        // An empty line inside a block is part of it.
        while end < lines.count, lines[end].isEmpty, end + 1 < lines.count,
          lines[end + 1].hasPrefix(Self.indent),
          !lines[end + 1].hasPrefix(Self.prompt)
        { end += 1 }
      }
      steps.append(
        Step(
          command: command, output: lines[start..<end].map { String($0.dropFirst(Self.indent.count)) },
          lines: start..<end))
      number = end
    }
    self.steps = steps
  }

  /// A page whose blocks may be items of numbered lists, which are indented by three more columns.
  package init(pageWithLists page: String) { self.init(page: page.replacing(/(?m)^   (?= {4})/, with: "")) }

  /// Runs the steps in the folder as a user does, with `rltrace` on the PATH, and returns what each step printed. The
  /// status of each must be a result, not an error. `options` are added to a command of rltrace, by its name.
  package func run(in folder: TemporaryFolder, options: [String: String] = [:]) throws -> [String] {
    let added = options.map { "[[ $1 != \($0.key) ]] || set -- \"$@\" \($0.value)\n" }.joined()
    return try steps.map { step in
      let run = try Program(
        shell: "tool=$0; rltrace() {\n\(added)\"$tool\" \"$@\"\n}\n{ \(step.command)\n} 2>&1"
      ).run([Program.rltrace.path], folder: folder.path)
      guard run.status < 64 else {
        throw Failure(command: step.command, status: run.status, output: run.output)
      }
      return run.output
    }
  }

  /// A command of a page that cannot be used as it is printed.
  package struct Failure: Error {
    package let command: String
    package let status: Int32
    package let output: String
  }

  /// The page with other outputs, one for each step.
  package func replacing(_ outputs: [String]) -> String {
    var lines = page.components(separatedBy: "\n")
    for (step, output) in zip(steps, outputs).reversed() {
      let new = output.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
      let body = new.last == "" ? Array(new.dropLast()) : new
      lines.replaceSubrange(step.lines, with: body.map { $0.isEmpty ? "" : Self.indent + $0 })
    }
    return lines.joined(separator: "\n")
  }

  /// Returns the part of a text that is the same in every run: the text without numbers, units and extra blanks.
  package static func shape(_ text: String) -> String {
    text.replacing(/[0-9][0-9.]*( (ns|µs|ms|s|%))?/, with: "#").replacing(/\s+/, with: " ")
      .trimmingCharacters(in: .whitespaces)
  }
}
