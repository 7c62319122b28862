import Backtraces
import CallStacks
import Foundation
import Testing

/// MetricKit's `DiagnosticReport` of 2026, as `JSONEncoder` writes it. The keys are those of Apple's documentation.
/// Real reports were not available.
@Suite struct MetricKitReportTests {
  private struct Report: Encodable {
    var environment = ["bundleIdentifier": "org.example.shop"]
    var result: Result
    var timeRange = ["start": 790_000_000.0, "duration": 0]
  }

  /// An enumeration with the coding that the compiler makes: `{"hang": {"_0": …}}`.
  private enum Result: Encodable {
    case hang(Hang)
    case crash(Crash)
  }

  private struct Hang: Encodable {
    var hangDuration: Measurement<UnitDuration>
    var callStackTree: Tree
  }

  private struct Crash: Encodable {
    var exceptionType: Int?
    var signal: Int?
    var terminationCategory: String?
    var callStackTree: Tree
  }

  private struct Tree: Encodable {
    var callStackThreads: [Thread]
    var callStackPerThread = true
    var binaryInfo: [UUID: Binary] = Dictionary(
      uniqueKeysWithValues: images.map { ($0.value, Binary(name: $0.key, uuid: $0.value)) })
  }

  private struct Binary: Encodable {
    var name: String
    var uuid: UUID
  }

  private struct Thread: Encodable {
    var rootFrames: [Frame]
    var threadAttributed: Bool?
  }

  private struct Frame: Encodable {
    var binaryUUID: UUID?
    var address: UInt64?
    var offsetIntoBinaryTextSegment: UInt64?
    var sampleCount: Int?
    var subFrames: [Frame]
  }

  private static let images = Dictionary(
    uniqueKeysWithValues: ["dyld", "Shop", "UIKitCore", "libsystem_kernel.dylib"].map { ($0, UUID()) })

  /// A stack of images, the first one at the root.
  private func stack(_ images: String...) -> [Frame] {
    images.enumerated().reversed().reduce([]) { inner, image in
      let offset = UInt64(image.offset + 1) * 16
      return [
        Frame(
          binaryUUID: Self.images[image.element], address: 0x1_0000_0000 + offset,
          offsetIntoBinaryTextSegment: offset, sampleCount: 9, subFrames: inner)
      ]
    }
  }

  private func hang(seconds: Double) -> Report {
    let thread = Thread(
      rootFrames: stack("dyld", "Shop", "UIKitCore", "Shop", "libsystem_kernel.dylib"), threadAttributed: true
    )
    let duration = Measurement(value: seconds, unit: UnitDuration.seconds)
    return Report(
      result: .hang(Hang(hangDuration: duration, callStackTree: Tree(callStackThreads: [thread]))))
  }

  private func reading(_ reports: some Encodable) throws -> Reading {
    try Reading(String(decoding: JSONEncoder().encode(reports), as: UTF8.self))
  }

  @Test func aHang() throws {
    let reading = try reading(hang(seconds: 2.5))
    #expect(reading.trace.kind == .metricKit && reading.trace.mainImage == "Shop")
    #expect(reading.blamed == ["Shop + 64"] && reading.innermost == "libsystem_kernel.dylib + 80")
    #expect(reading.facts(.duration) == ["2.5 s"])
    #expect(reading.trace.notes.contains { $0.contains("were not compared with a real report") })
  }

  /// Several diagnostics in one text, each with its own thread.
  @Test func severalDiagnostics() throws {
    let threads = [
      Thread(rootFrames: stack("libsystem_kernel.dylib", "UIKitCore", "dyld"), threadAttributed: false),
      Thread(rootFrames: stack("libsystem_kernel.dylib", "Shop", "dyld"), threadAttributed: true),
    ]
    let crash = Crash(
      exceptionType: nil, signal: 9, terminationCategory: "watchdog",
      callStackTree: Tree(callStackThreads: threads))
    let reading = try reading([hang(seconds: 1), Report(result: .crash(crash)), hang(seconds: 4)])
    #expect(reading.blamed == ["Shop + 64", "Shop + 32", "Shop + 64"])
    #expect(reading.facts(.duration) == ["1 s", "4 s"] && reading.facts(.termination) == ["watchdog"])
    #expect(Set(reading.trace.threads.map(\.section)).count == 3)
  }

  /// The names of images may be missing.
  @Test func imagesWithoutNames() throws {
    var report = hang(seconds: 1)
    guard case .hang(var diagnostic) = report.result else { return }
    diagnostic.callStackTree.binaryInfo = [:]
    report.result = .hang(diagnostic)
    let reading = try reading(report)
    #expect(reading.trace.kind == .metricKit && reading.groups[0]?.frame == nil)
  }
}
