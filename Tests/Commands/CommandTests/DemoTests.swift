import Foundation
import TestSupport
import Testing

/// After tools/demo, the commands that it prints and the next ones in the README work as written.
@Suite struct DemoTests {
  /// A `swift` that uses the build of these tests for `swift build --product NAME`.
  private static let swift = """
    #!/bin/bash
    [[ $1 == build ]] || exec "$REAL_SWIFT" "$@"
    scratch=.build configuration=debug
    while (($# > 0)); do
      case $1 in
        -c) configuration=$2 ;;
        --scratch-path) scratch=$2 ;;
        --show-bin-path) echo "$scratch/$configuration" ;;
        --product)
          mkdir -p "$scratch/$configuration"
          for file in "$BUILT/$2" "$BUILT/lib$2.so"; do [[ ! -f $file ]] || cp "$file" "$scratch/$configuration/"; done ;;
      esac
      shift
    done
    """

  private let folder: TemporaryFolder
  private let environment: [String: String]

  init() throws {
    folder = try TemporaryFolder()
    for name in ["tools", "bin"] {
      try FileManager.default.createDirectory(atPath: folder.file(name), withIntermediateDirectories: true)
    }
    let tools = ProjectFiles.root.appendingPathComponent("tools")
    for name in ["demo", "install-deps", "lib.sh"] {
      try FileManager.default.copyItem(
        atPath: tools.appendingPathComponent(name).path, toPath: folder.file("tools/\(name)"))
    }
    try Self.swift.write(toFile: folder.file("bin/swift"), atomically: true, encoding: .utf8)
    chmod(folder.file("bin/swift"), 0o755)
    let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
    let swift = try Program(shell: "command -v swift").run([]).output
    environment = [
      "PATH": "\(folder.file("bin")):\(folder.file(".build/debug")):\(path)",
      "REAL_SWIFT": swift.trimmingCharacters(in: .whitespacesAndNewlines),
      "BUILT": URL(fileURLWithPath: Program.rltrace.path).deletingLastPathComponent().path,
    ]
  }

  private func run(_ command: String) throws -> Program.Result {
    try Program(shell: command).run([], environment: environment, folder: folder.path)
  }

  /// Returns the README's commands for recording a program, without those of the sections after it.
  private func readmeCommands() throws -> [String] {
    let page = try ProjectFiles.text("README.md")
    let section = try #require(page.components(separatedBy: "\n## Record a program\n").last)
    let text = section.components(separatedBy: "\n## ")[0]
    return text.split(separator: "\n").filter { $0.hasPrefix("    ") }.map { String($0.dropFirst(4)) }
  }

  @Test func installIsAnOptimizedBuild() throws {
    let tools = ProjectFiles.root.appendingPathComponent("tools").path
    let installed = try run(
      "cp \(tools)/{install,manual,lib.py} tools/ && tools/install --prefix prefix && cd .build"
        + " && ls -d */* | grep -v ^static-libraries/")
    #expect(installed.status == 0, "\(installed)")
    let files = [
      "bin/librltrace-preload.so", "bin/rltrace", "install-preload/release", "install/release",
    ]
    #expect(installed.output == files.map { $0 + "\n" }.joined(), "\(installed)")
    let same = try run(
      "cmp .build/bin/rltrace prefix/bin/rltrace && cmp .build/bin/*.so prefix/lib/rltrace/*.so && ls -A .build/bin"
    )
    #expect(same.status == 0 && same.output == "librltrace-preload.so\nrltrace\n", "\(same)")
  }

  @Test func theNextCommandsWork() throws {
    let demo = try run("tools/demo")
    try #require(demo.status == 0, "\(demo.output)\(demo.errors)")
    for file in ["embedded-example"] {
      try FileManager.default.copyItem(
        atPath: Program(file).path, toPath: folder.file("MyProgram"))
    }
    let server = "#!/bin/sh\nexec '\(Program("event-loop-programs").path)' healthy\n"
    try server.write(toFile: folder.file("MyServer"), atomically: true, encoding: .utf8)
    try FileManager.default.setAttributes(
      [.posixPermissions: 0o755], ofItemAtPath: folder.file("MyServer"))
    let next = try #require(demo.output.components(separatedBy: "Next:").dropFirst().first)
    let printed = next.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
      .filter { $0.contains("rltrace") }
    #expect(printed.contains { $0.hasSuffix("record -- ./MyProgram") })
    let shown = try readmeCommands()
    #expect(shown.contains { $0.hasPrefix("rltrace record ./MyProgram") } && shown.count >= 5)
    for command in printed + shown {
      // No browser fetches the file.
      let command = command.replacing("| less", with: "| cat")
        .replacing("rltrace open ", with: "rltrace open --no-browser --timeout 1ms ")
      if command.contains("before.rltrace") {
        for name in ["before", "after"] {
          try FileManager.default.copyItem(
            atPath: folder.file("MyProgram.rltrace"), toPath: folder.file("\(name).rltrace"))
        }
      }
      let result = try run("set -o pipefail; " + command)
      // Whether a gap occurs, and whether a prediction is decided, depends on how busy the machine is.
      let statuses: ClosedRange<Int32> =
        command.contains(" gate ")
        ? 0...1 : command.contains(" what-if ") ? 0...2 : command.contains(" open ") ? 69...69 : 0...0
      #expect(statuses.contains(result.status), "\(command): \(result.errors)")
    }
    #expect(folder.names.contains("MyProgram.rltrace") && folder.names.contains("MyProgram.html"))
  }
}
