import Foundation
import ProgramRecorder
import Symbolication
import CallStacks
import SystemSupport
import TextReport
import TraceAnalysis
import TraceCompression
import TraceFormat
import TraceRecorder

/// How a view ended.
enum WatchEnd {
  case quit
  /// The recording ended: its trace is complete.
  case complete
  /// The program and its recorder are gone.
  case abandoned
}

/// A recording under way, or a trace that is played.
protocol WatchSource: AnyObject {
  /// Reads what is new. Returns how the recording ended; nil while it is under way.
  func update() -> WatchEnd?
  /// Returns the trace to analyze, and the present moment in it, in time units.
  func current() throws(Failure) -> (reader: TraceReader, now: UInt64)
  var status: WatchStatus { get }
  /// When the innermost open callout of each thread began, in time units, if the source knows better than the analysis
  /// of the newest span.
  var openCallouts: [UInt32: UInt64] { get }
  /// Whether the screen stays until the user quits, even after everything has been shown.
  var staysAtEnd: Bool { get }
  /// Writes what is kept into a trace. Returns its name.
  func writeSnapshot() throws(Failure) -> String
  /// Reports to the user how the view ended.
  func report(_ end: WatchEnd) throws(Failure)
}

/// A recording under way.
final class LiveRecording: WatchSource {
  private let target: WatchTarget
  private let recording: WatchedRecording
  private var bytes: [UInt8] = []

  /// Keeps the newest `keptNs` from now on. `namesCode` false: code is named by its addresses, which takes no time.
  init(
    _ target: WatchTarget, keptNs: UInt64 = WatchTimes.keptNs, namesCode: Bool = true
  ) throws(Failure) {
    self.target = target
    let naming: @Sendable () -> any CodeNaming = { ProgramNaming() }
    let progress = AnalysisProgress(file: target.trace, what: "reading")
    defer { progress.finish() }
    do throws(TraceFormatError) {
      recording = try WatchedRecording(
        spool: target.spool, trace: target.trace, keptNs: keptNs, keptBytes: WatchTimes.keptBytes,
        info: RecordingFacts.entries, codecs: allCodecs, makeNaming: namesCode ? naming : nil,
        progress: progress.update)
    } catch {
      throw .reading(target.spool, error)
    }
  }

  let staysAtEnd = false
  var openCallouts: [UInt32: UInt64] { recording.openCallouts }

  func update() -> WatchEnd? {
    switch recording.read() {
    case .underWay: nil
    case .complete: .complete
    case .abandoned: .abandoned
    }
  }

  func current() throws(Failure) -> (reader: TraceReader, now: UInt64) {
    do throws(TraceFormatError) {
      bytes = try recording.window()
      let reader = try TraceReader(
        source: MemorySource(bytes), codecs: allCodecs, longNames: ShownName.whileReading)
      return (reader, reader.lastTime)
    } catch {
      throw .reading(target.trace, error)
    }
  }

  var status: WatchStatus {
    WatchStatus(
      name: Files.name(of: target.trace), processID: recording.processID, elapsedNs: recording.elapsedNs,
      unseenSlots: recording.unseenSlots)
  }

  func writeSnapshot() throws(Failure) -> String {
    var number = 1
    let stem = SpoolName.stem(target.trace)
    while access("\(stem).watch\(number)\(SpoolName.traceSuffix)", F_OK) == 0 { number += 1 }
    let path = "\(stem).watch\(number)\(SpoolName.traceSuffix)"
    do throws(TraceFormatError) {
      let sink = try FileSink(path: path)
      try sink.write(bytes)
      try sink.commit()
    } catch {
      throw .writing(path, error)
    }
    return path
  }

  func report(_ end: WatchEnd) throws(Failure) {
    switch end {
    case .quit: break
    case .complete: Terminal.complain("the recording ended; next: rltrace analyze \(target.trace)")
    case .abandoned:
      throw Failure(
        status: .noInput,
        message: "the program and its recorder are gone; `rltrace recover \(target.trace)` makes the trace")
    }
  }

  /// Writes everything that has been recorded so far to `path`. Returns false if the recording is complete by now.
  static func copy(_ target: WatchTarget, to path: String) throws -> Bool {
    do throws(TraceFormatError) {
      let sink = try UnfinishedFiles.made { () throws(TraceFormatError) in
        try FileSink(path: path, isDurable: false)
      }
      let isUnderWay = try WatchedRecording.copy(
        spool: target.spool, trace: target.trace, to: sink, info: RecordingFacts.entries, codecs: allCodecs,
        makeNaming: { ProgramNaming() })
      if !isUnderWay { sink.discard() }
      return isUnderWay
    } catch {
      // The files go away when the recording ends.
      if access(target.spool, F_OK) != 0 { return false }
      throw Failure.reading(target.spool, error)
    }
  }

  /// Waits until the trace of an ending recording has its name.
  static func finished(_ target: WatchTarget) throws(Failure) -> String {
    for _ in 0..<300 where !TraceFile.isTrace(target.trace) { usleep(100_000) }
    guard TraceFile.isTrace(target.trace) else {
      throw Failure(
        status: .noInput, message: "\(target.trace): the recording ended without a trace of this name")
    }
    return target.trace
  }
}

/// A finished trace that is played.
final class ReplayedTrace: WatchSource {
  private let file: String
  private let reader: TraceReader
  private let speed: Double
  private let beganNs = WatchTimes.now()

  init(_ file: String, speed: Double) throws {
    self.file = file
    self.speed = speed
    reader = try StrictReading.open(file, isStrict: false, longNames: ShownName.whileReading)
  }

  private var elapsedNs: UInt64 { UInt64(clamping: Double(WatchTimes.now() &- beganNs) * speed) }
  private var now: UInt64 {
    min(reader.lastTime, reader.beginning &+ elapsedNs / reader.header.timeUnit.nanoseconds)
  }

  let staysAtEnd = true
  let openCallouts: [UInt32: UInt64] = [:]

  func update() -> WatchEnd? { now >= reader.lastTime ? .complete : nil }
  func current() -> (reader: TraceReader, now: UInt64) { (reader, now) }

  var status: WatchStatus {
    WatchStatus(
      name: Files.name(of: file), processID: 0, elapsedNs: now &* reader.header.timeUnit.nanoseconds,
      note: now < reader.lastTime ? "replayed" : "the trace ends here")
  }

  func writeSnapshot() throws(Failure) -> String { file }
  func report(_ end: WatchEnd) {}
}

/// Looks up functions for sampled stacks, each address once.
final class WatchedSymbols {
  private let symbolizer = StackSymbolizer(folders: [])
  private var known: [StackAddress: [StackFrame]] = [:]
  private var images: Set<String> = []

  func names(_ images: [MappedImage], _ addresses: [StackAddress]) -> [StackAddress: [StackFrame]] {
    for image in images where self.images.insert("\(image.path) \(image.range)").inserted {
      symbolizer.add(image, knowsBias: false)
    }
    let unknown = addresses.filter { known[$0] == nil }
    if !unknown.isEmpty {
      let found = symbolizer.frames(of: unknown).mapValues { $0.map(StackFrame.init) }
      for address in unknown { known[address] = found[address] ?? [] }
    }
    return known.filter { !$0.value.isEmpty }
  }
}
