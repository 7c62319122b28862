import Foundation
import TraceFormat

/// A program of Tests/Fixtures/StackProgram, built as for a release, and the call stack that it printed.
package struct StackProgram: Sendable {
  package enum Language: String, Sendable {
    case c = "plain.c"
    case swift = "release.swift"
  }

  package let path: String
  package let range: Range<UInt64>
  /// The addresses of the stack, innermost first: the program counter, then return addresses.
  package let addresses: [UInt64]
  /// The line numbers of the source lines with `// HERE name`, by name.
  package let lines: [String: Int]
  package let buildID: [UInt8]

  package struct BuildFailed: Error { public let output: String }

  /// Builds and runs the program in a folder.
  package init(_ language: Language, in folder: TemporaryFolder) throws {
    let sources = ProjectFiles.root.appendingPathComponent("Tests/Fixtures/StackProgram").path
    // The linker of the Swift toolchain writes a build ID only on request.
    let line =
      switch language {
      case .c: "clang -O2 -g -Wl,--build-id=sha1 \"$0/print_stack.c\" \"$0/plain.c\" -o program"
      case .swift:
        "clang -O2 -g -c \"$0/print_stack.c\" -o print_stack.o && swiftc -O -g -parse-as-library -module-name Release "
          + "-Xlinker --build-id=sha1 \"$0/release.swift\" print_stack.o -o program"
      }
    let built = try TestSupport.Program(shell: line).run([sources], folder: folder.path)
    path = folder.file("program")
    guard built.status == 0 else { throw BuildFailed(output: built.errors) }
    let run = try TestSupport.Program(path: path).run([])
    var range: Range<UInt64>?
    var addresses: [UInt64] = []
    for line in run.output.split(separator: "\n") {
      let words = line.split(separator: " "), numbers = words.dropFirst().compactMap { UInt64($0) }
      if words.first == "image", numbers.count == 2 { range = numbers[0]..<numbers[1] }
      if words.first == "frame", let address = numbers.first { addresses.append(address) }
    }
    guard let range, addresses.count > 3 else { throw BuildFailed(output: run.output + run.errors) }
    self.range = range
    self.addresses = addresses

    var lines: [String: Int] = [:]
    for file in ["print_stack.c", language.rawValue] {
      let text = try String(contentsOfFile: "\(sources)/\(file)", encoding: .utf8)
      for (number, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
        if let mark = line.range(of: "// HERE ") { lines[String(line[mark.upperBound...])] = number + 1 }
      }
    }
    self.lines = lines
    let notes = try TestSupport.Program(shell: "readelf -n \"$0\" | sed -n 's/.*Build ID: //p'").run([path])
    buildID = MappedImage.buildID(String(notes.output.prefix { $0.isHexDigit }))
  }

  /// The image as a trace stores it: with the start of its first segment instead of the loader's bias.
  package var image: MappedImage {
    MappedImage(path: path, bias: range.lowerBound, range: range, buildID: buildID)
  }

  package var stack: [StackAddress] { StackAddress.stack(addresses) }
}
