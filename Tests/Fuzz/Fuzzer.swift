import Foundation
import FuzzTargets

/// The fuzzer that tools/fuzz runs. `rltrace-fuzz --list` prints the targets, and `--seeds TARGET FOLDER` writes the
/// seeds of a target. `TARGET ARGUMENTS…` runs libFuzzer with that target.
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
        // Traps, so that libFuzzer keeps the input.
        if !complaints.isEmpty { fatalError(complaints.joined(separator: "\n")) }
        return 0
      }
    }
  }
}

/// libFuzzer's entry point. The toolchain has no header for it.
@_silgen_name("LLVMFuzzerRunDriver")
private func runFuzzer(
  _ count: UnsafeMutablePointer<Int32>,
  _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?>,
  _ body: @convention(c) (UnsafePointer<UInt8>?, Int) -> Int32
) -> Int32
