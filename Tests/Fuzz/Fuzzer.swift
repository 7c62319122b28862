import Foundation
import FuzzTargets

/// `rltrace-fuzz --list` prints the targets, `--seeds TARGET FOLDER` writes a target's seeds; `TARGET ARGUMENTS…` is
/// libFuzzer with that target. tools/fuzz runs it.
@main struct Fuzzer {
  private nonisolated(unsafe) static var target: FuzzTarget?

  static func main() {
    let arguments = CommandLine.arguments.dropFirst()
    switch arguments.first {
    case "--list":
      for target in FuzzTarget.all { print(target.name) }
    case "--seeds" where arguments.count == 3:
      writeSeeds(named(arguments[2]), folder: arguments[3])
    case let name?:
      target = named(name)
      exit(run([CommandLine.arguments[0]] + arguments.dropFirst()))
    case nil:
      exit(64)
    }
  }

  private static func named(_ name: String) -> FuzzTarget {
    if let target = FuzzTarget.named(name) { return target }
    print("no target \"\(name)\"; there are: \(FuzzTarget.all.map(\.name).joined(separator: ", "))")
    exit(64)
  }

  private static func writeSeeds(_ target: FuzzTarget, folder: String) {
    for seed in target.seeds(ofAtMost: 1 << 17) {
      do {
        try Data(seed.bytes).write(to: URL(fileURLWithPath: "\(folder)/\(seed.name)"))
      } catch {
        print("cannot write seeds: \(error)")
        exit(73)
      }
    }
  }

  private static func run(_ arguments: [String]) -> Int32 {
    var count = Int32(arguments.count)
    var pointers = arguments.map { strdup($0) } + [nil]
    return pointers.withUnsafeMutableBufferPointer { buffer in
      var start = buffer.baseAddress
      return runFuzzer(&count, &start) { start, count in
        let bytes = Array(UnsafeBufferPointer(start: start, count: count))
        let complaints = Fuzzer.target?.complaints(bytes) ?? []
        // libFuzzer keeps the input of a process that dies.
        if !complaints.isEmpty { fatalError(complaints.joined(separator: "\n")) }
        return 0
      }
    }
  }
}

/// libFuzzer, of which no header comes with the toolchain.
@_silgen_name("LLVMFuzzerRunDriver")
private func runFuzzer(
  _ count: UnsafeMutablePointer<Int32>,
  _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?>,
  _ body: @convention(c) (UnsafePointer<UInt8>?, Int) -> Int32
) -> Int32
