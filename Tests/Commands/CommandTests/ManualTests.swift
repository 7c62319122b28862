import Foundation
import SystemSupport
import TestSupport
import Testing

/// The man pages and completions that tools/install adds to the program.
@Suite struct ManualTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func tool(_ name: String) -> Program {
    Program(path: ProjectFiles.root.appendingPathComponent("tools/\(name)").path)
  }

  private static func has(_ program: String) -> Bool {
    (try? Program(shell: "command -v \(program)").run([]).status) == 0
  }

  private func pages() throws -> [String] {
    let made = try tool("manual").run(["--binary", Program.rltrace.path, "--output", folder.file("man1")])
    try #require(made.status == 0, "\(made.errors)")
    return try FileManager.default.contentsOfDirectory(atPath: folder.file("man1")).sorted()
      .map { folder.file("man1/\($0)") }
  }

  @Test func eachCommandHasAManPage() throws {
    let pages = try pages()
    let names = Set(pages.map { ($0 as NSString).lastPathComponent })
    #expect(names.isSuperset(of: ["rltrace.1", "rltrace-record.1", "rltrace-analyze.1", "rltrace-redact.1"]))
    #expect(!names.contains("rltrace-peer.1") && !names.contains("rltrace-help.1"))
  }

  @Test(.enabled(if: has("mandoc"), "needs mandoc"))
  func mandocAcceptsThem() throws {
    let result = try Program(shell: "mandoc -T lint -W warning \"$@\"").run(["lint"] + pages())
    #expect(result.status == 0 && result.output.isEmpty, "\(result.output)\(result.errors)")
    // The pages as shown to a reader: text to type must be unchanged.
    let text = try Program(shell: "mandoc -T utf8 \"$1\" | sed 's/.\\x08//g'").run([
      "show", folder.file("man1/rltrace-record.1"),
    ]).output
    for line in [
      "rltrace record ./MyProgram --its-option", "--time-unit", "process's own", "[ARGUMENT…]",
      "`rltrace scenarios`",
    ] {
      #expect(text.contains(line), "\(line)")
    }
  }

  @Test(.enabled(if: has("groff"), "needs groff"))
  func groffAcceptsThem() throws {
    let result = try Program(shell: "groff -mdoc -ww -z \"$@\"").run(["groff"] + pages())
    #expect(result.status == 0 && result.errors.isEmpty, "\(result.errors)")
  }

  /// Returns bash's completions for a line with an unfinished last word.
  private func offered(_ words: String...) throws -> Set<Substring> {
    let script = try Program.rltrace.run(["--generate-completion-script", "bash"]).output
    try script.write(toFile: folder.file("rltrace.bash"), atomically: true, encoding: .utf8)
    let result = try Program(
      shell: """
        source "$0"
        COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMP_LINE="$*" COMP_POINT=${#COMP_LINE}
        compopt() { :; }
        $(complete -p rltrace | sed -E 's/.*-F ([^ ]+) .*/\\1/') rltrace "${!#}" "${@: -2:1}"
        printf '%s\\n' "${COMPREPLY[@]}"
        """
    ).run([folder.file("rltrace.bash")] + words)
    #expect(result.status == 0, "\(result.errors)")
    return Set(result.output.split { $0 == "\n" || $0 == " " })
  }

  @Test func bashCompletes() throws {
    #expect(try offered("rltrace", "sc").contains("scenarios"))
    #expect(try offered("rltrace", "re").isSuperset(of: ["record", "recover", "redact"]))
    #expect(try !offered("rltrace", "").contains("peer"))
    #expect(try offered("rltrace", "record", "--scenario", "timer").contains("timer-starvation"))
    #expect(try offered("rltrace", "record", "--codec", "").isSuperset(of: ["none", "zstd"]))
    #expect(try offered("rltrace", "analyze", "--profile", "w").contains("watchdog"))
    #expect(try offered("rltrace", "analyze", "--detector", "k").contains("kscrash"))
    #expect(try offered("rltrace", "analyze", "--gap").contains("--gap-threshold"))
  }

  @Test(arguments: ["zsh", "fish"])
  func otherShellsReadTheirs(shell: String) throws {
    guard Self.has(shell) else { return }
    let script = try Program.rltrace.run(["--generate-completion-script", shell]).output
    let file = folder.file("completion")
    try script.write(toFile: file, atomically: true, encoding: .utf8)
    let result = try Program(shell: "\"$0\" -n \"$1\"").run([shell, file])
    #expect(result.status == 0 && result.errors.isEmpty, "\(result.errors)")
    #expect(script.contains("timer-starvation") && script.contains("watchdog"))
  }

  @Test func installsAndUninstalls() throws {
    let binaries = (Program.rltrace.path as NSString).deletingLastPathComponent
    let prefix = folder.file("prefix with a space")
    for _ in 0..<2 {
      let result = try tool("install").run(["--prefix", prefix, "--binaries", binaries])
      #expect(result.status == 0, "\(result.errors)")
    }
    let installed = try Program(shell: "cd \"$0\" && find . -type f | sort").run([prefix]).output
    let manual = try pages().map { "./share/man/man1/" + ($0 as NSString).lastPathComponent }
    #expect(
      installed.split(separator: "\n").map(String.init)
        == ([
          "./bin/rltrace", "./lib/rltrace/librltrace-preload.so",
          "./share/bash-completion/completions/rltrace", "./share/fish/vendor_completions.d/rltrace.fish",
          "./share/zsh/site-functions/_rltrace",
        ] + manual).sorted())
    #expect(try Program(path: prefix + "/bin/rltrace").run(["--version"]).status == 0)

    try "mine".write(toFile: prefix + "/bin/mine", atomically: true, encoding: .utf8)
    let removed = try tool("install").run(["--prefix", prefix, "--uninstall"])
    #expect(removed.status == 0, "\(removed.errors)")
    #expect(try Program(shell: "cd \"$0\" && find . -type f; ls lib").run([prefix]).output == "./bin/mine\n")
  }
}
