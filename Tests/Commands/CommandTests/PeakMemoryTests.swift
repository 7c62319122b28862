import Foundation
import TestSupport
import Testing
import TraceFormat

/// No command takes more than 128 MiB for any file, even for files that reach the limits on size and content.
@Suite(.optimizedBuild, .serialized) struct PeakMemoryTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// Returns the status of `rltrace` and its peak memory.
  private func run(_ arguments: String...) throws -> (status: Int, bytes: Int) {
    let measure = """
      import resource, subprocess, sys
      status = subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL).returncode
      print(status, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
      """
    let result = try Program(path: "/usr/bin/python3").run(
      ["-c", measure, Program.rltrace.path] + arguments, folder: folder.path)
    let numbers = result.output.split(whereSeparator: \.isWhitespace).compactMap { Int($0) }
    try #require(numbers.count == 2, "\(result)")
    return (numbers[0], numbers[1] << 10)
  }

  private func write(_ text: String, _ name: String) throws {
    try text.write(toFile: folder.file(name), atomically: false, encoding: .utf8)
  }

  /// Each leaf blames a different function.
  @Test func peakOfACallTree() throws {
    let calls = (0..<65_000).map {
      "    + 1 leaf\($0)\(String(repeating: "y", count: 150))  (in App)  [0x\($0)]"
    }
    try write(
      (["Call graph:", "    65000 Thread_1"] + calls).joined(separator: "\n"), "tree.txt")
    for format in ["text", "json"] {
      let result = try run("stack", "tree.txt", "--all", "--format", format)
      #expect(result.status == 0 && result.bytes < 128 << 20, "\(format): \(result)")
    }
  }

  /// The maximum number of values, all different.
  @Test func peakOfJSON() throws {
    let frames = (0..<43_000).map {
      """
      {"binaryName":"App\($0)\(String(repeating: "z", count: 200))","address":\($0),"sampleCount":1,\
      "binaryUUID":"70B89F27-1634-3580-A695-\($0)","offsetIntoBinaryTextSegment":\($0)}
      """
    }
    try write(
      "{\"callStacks\":[{\"callStackRootFrames\":[" + frames.joined(separator: ",\n") + "]}]}", "tree.json")
    let result = try run("stack", "tree.json", "--all", "--format", "json")
    #expect(result.status == 0 && result.bytes < 128 << 20, "\(result)")
  }

  /// More objects than the limit of kept names.
  @Test func peakOfDumpedNames() throws {
    let size = TraceLimits.eventsPerBlock, blocks = ReadingLimits.objectDefinitions / size + 2
    let bytes = try writeTrace(codec: .zstd, timeUnit: .ns1, hasHighStamps: false) { writer in
      for block in 0..<blocks {
        try writer.write(
          EventBuffer(
            (0..<size).map {
              let number = block * size + $0
              return TestEvent(
                time: UInt64(number), kind: .timerCreate, object: UInt32(number + 1), arguments: [1])
            }), thread: 0)
      }
    }
    try Data(bytes).write(to: URL(fileURLWithPath: folder.file("objects.rltrace")))
    let result = try run("dump", "objects.rltrace")
    #expect(result.status == 0 && result.bytes < 128 << 20, "\(result)")
    let names = try ObjectNames(openTrace(bytes))
    #expect(names.omitted == UInt64(2 * size))

    // The limit on memory applies in addition to all others, and no unfinished file remains.
    for (memory, status) in [("40M", Int32(65)), ("1G", 0)] {
      let limited = try Program.rltrace.run(
        ["dump", "objects.rltrace", "-o", "names.rltext"], environment: ["RLTRACE_MEMORY": memory],
        folder: folder.path)
      #expect(limited.status == status, "\(limited)")
      guard status > 0 else { continue }
      #expect(limited.errorLines.count == 1 && limited.errors.contains("40 MiB of memory (residentBytes)"))
      #expect(folder.names == ["objects.rltrace"])
    }
  }

  /// A block of a type that a later version adds.
  @Test func peakOfAnUnknownBlock() throws {
    let line = "  " + String(repeating: "5a", count: 1 << 14)
    let text =
      [
        "rltrace-text 1", "header minor=9 unit=1ns codec=none capture=callouts clock=virtual high=no",
        "unknown type=99 count=1 thread=0 first=0 last=0 plain=\(TraceLimits.payloadBytes)",
      ] + Array(repeating: line, count: TraceLimits.payloadBytes >> 14) + ["end", ""]
    let whole = text.joined(separator: "\n")
    try write(whole, "unknown.rltext")
    for arguments in [
      ["assemble", "unknown.rltext", "-o", "unknown.rltrace"],
      ["dump", "unknown.rltrace", "-o", "again.rltext"],
    ] {
      let result = try run(arguments[0], arguments[1], arguments[2], arguments[3])
      #expect(result.status == 0 && result.bytes < 128 << 20, "\(arguments): \(result)")
    }
    let again = try Data(contentsOf: URL(fileURLWithPath: folder.file("again.rltext")))
    let isSame = again == Data(whole.utf8)
    #expect(isSame)
  }

  /// The maximum number of items in a debugger's text, and the differences between two texts.
  @Test func peakOfDescribedLoops() throws {
    for (name, first) in [("one.log", 0), ("two.log", 1000)] {
      let timers = (0..<16_000).map { number in
        "\t\(number) : <CFRunLoopTimer 0x\(first + number) [0x1]>{valid = Yes, firing = No, interval = 1, "
          + "tolerance = 0, next fire date = 700000001 (0.5 @ 1500000000), "
          + "callout = f\(String(repeating: "x", count: 700))\(number) (0x1 / (nil)) (?), "
          + "context = <CFRunLoopTimer context (nil)>}"
      }
      try write(
        """
        <CFRunLoop 0x1000 [0x1]>{wakeup port = 0x3, stopped = false, ignoreWakeUps = true,
        current mode = (none),
        common modes = (null),
        common mode items = (null),
        modes = <CFBasicHash 0x1 [0x1]>{type = mutable set, count = 1,
        entries =>
        \t0 : <CFRunLoopMode 0x2 [0x1]>{name = m, port set = 0x4, timer port = 0x5,
        \tsources0 = (null),
        \tsources1 = (null),
        \tobservers = <CFArray 0x1 [0x1]>{type = mutable-small, count = 0, values = ()},
        \ttimers = <CFArray 0x1 [0x1]>{type = mutable-small, count = 16000, values = (
        \(timers.joined(separator: "\n"))
        )},
        \tcurrently 700000000 (1000000000) / soft deadline in: 0.5 sec (@ 1500000000)
        },
        }
        }
        """, name)
    }
    for arguments in [["one.log", "--format=json"], ["one.log", "--diff=two.log"]] {
      let result = try run("topology", arguments[0], arguments[1])
      #expect(result.status == 0 && result.bytes < 128 << 20, "\(arguments): \(result)")
    }
  }
}
