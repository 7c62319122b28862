import Foundation
import TestSupport
import Testing

/// Each process seeds its hash tables differently. No output may depend on their order.
@Suite struct SameBytesTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// Rows with equal numbers: threads with one stack, callouts, sources, timers, intervals that stay open.
  @Test func rowsWithEqualNumbers() throws {
    let count = 12
    var text = """
      rltrace-text 1
      header minor=2 unit=1us codec=none capture=callouts clock=virtual high=no
      strings
        1 "main"
        2 "work"

      """
    text +=
      "threads\n"
      + (0..<count).map { "  \($0) os=\(100 + $0) main=\($0 == 0 ? "yes" : "no") \"t\"\n" }.joined()
    text += "modes\n  1 \"kCFRunLoopDefaultMode\"\n  2 \"kCFRunLoopDefaultMode\"\nevents thread=0\n"
    text += "  0 loop.create #1 name=1\n"
    for object in 2..<2 + count {
      text += "  0 timer.create #\(object) name=2 interval_ns=1000000 tolerance_ns=0 due=1000 site=0\n"
      text += "  0 timer.add #\(object) mode=1 loop=1\n"
      text += "  0 interval.begin #\(100 + object) name=2\n"
    }
    text += "  0 run.begin m1 #1 timeout_ns=2000000 return_after_source=0\n  0 Entry.low m1 #1\n"
    text += "  500 BeforeWaiting.low m1 #1\n  1000 AfterWaiting.low m1 #1\n"
    for object in 2..<2 + count {
      text += "  1000 timer.begin m1 #\(object)\n  1000 timer.end m1 #\(object)\n"
    }
    for thread in 0..<count {
      for reason in 1...2 {
        text += "  1500 thread.stack thread=\(100 + thread) reason=\(reason) frame=0x1000\n"
      }
    }
    text += "  2000 Exit.low m1 #1\n  2000 run.end m1 #1 result=3\nend\n"
    try text.write(toFile: folder.file("ties.rltext"), atomically: true, encoding: .utf8)
    let trace = folder.file("ties.rltrace")
    let made = try Program.rltrace.run(["assemble", folder.file("ties.rltext"), "-o", trace])
    try #require(made.status == 0, "\(made.errors)")
    let stacks = try Program.rltrace.run(["export", trace, "--table", "stacks"]).output
    #expect(stacks.split(whereSeparator: \.isNewline).count == 1 + 2 * count, "\(stacks)")
    try check(trace, rounds: 4)
  }

  @Test(arguments: ["real/stalls", "virtual/five-causes"]) func samples(name: String) throws {
    try check(ProjectFiles.root.appendingPathComponent("SampleTraces/\(name).rltrace").path, rounds: 2)
  }

  private func check(_ trace: String, rounds: Int) throws {
    for round in 1...rounds {
      let made = try Program(
        shell: """
          set -e
          mkdir $2 && cd $2
          "$0" analyze "$1" --full --html page.html --csv tables >text 2>/dev/null
          "$0" analyze "$1" --format json >json
          for format in perfetto chrome firefox speedscope; do
            "$0" export "$1" --format $format -o $format 2>/dev/null
          done
          """
      ).run([Program.rltrace.path, trace, "\(round)"], folder: folder.path)
      try #require(made.status == 0, "\(made.errors)")
      let differences = try Program(shell: "diff -rq $0 $1").run(["1", "\(round)"], folder: folder.path)
      #expect(differences.output == "")
    }
  }
}
