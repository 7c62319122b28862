import ArgumentParser
import Foundation
import SystemSupport
import TraceAnalysis
import TraceReplay
import TraceComparison
import TraceFormat

/// A length of time on the command line: 250ms, 2s, 1.5. Read with `transform:`, so that an error message can state
/// the expected form.
struct DurationArgument {
  let nanoseconds: UInt64
  /// The text as the user typed it.
  let text: String

  static func read(_ text: String) throws -> DurationArgument {
    do throws(DurationError) {
      return DurationArgument(nanoseconds: try DurationText.nanoseconds(text), text: text)
    } catch {
      throw ValidationError(error.what)
    }
  }

  /// Notes that seconds were assumed, if the text has no unit and the time is at least `isAbsurdFrom` nanoseconds.
  func noteUnit(_ option: String, isAbsurdFrom limit: UInt64, because why: String? = nil) {
    guard nanoseconds >= limit, text.last.map({ $0.isASCII && ($0.isNumber || $0 == ".") }) ?? false else {
      return
    }
    Terminal.complain(
      "\(option) \(text) has no unit and was read as seconds"
        + (why.map { ": \(Units.duration(nanoseconds)), \($0)" } ?? "") + "; for milliseconds type \(text)ms")
  }

  /// Reads the length of the past that a flight recorder keeps.
  static func flightSpan(_ text: String) throws -> DurationArgument {
    let span = try read(text)
    guard (100_000_000...86_400_000_000_000).contains(span.nanoseconds) else {
      throw ValidationError("expected a time from 100ms to 24h, got '\(text)'")
    }
    return span
  }
}

/// How long a loop must be busy before its thread is sampled.
enum StallThresholdArgument {
  case after(DurationArgument)
  case off

  static func read(_ text: String) throws -> StallThresholdArgument {
    text == "off" ? .off : .after(try DurationArgument.read(text))
  }
}

/// The smallest relevant difference on the command line: 5%,100us,medium, or any of the three.
struct RelevantArgument: CustomStringConvertible {
  let difference: RelevantDifference

  init(_ difference: RelevantDifference) { self.difference = difference }

  static func read(_ text: String) throws -> RelevantArgument {
    var share: Double?
    var ns: UInt64?
    var effect: Effect?
    for part in text.split(separator: ",", omittingEmptySubsequences: false).map(String.init) {
      if part.hasSuffix("%") {
        guard let percent = Double(part.dropLast()), percent >= 0, percent <= 10_000 else {
          throw ValidationError("expected a share from 0% to 10000%, got '\(part)'")
        }
        guard share == nil else { throw ValidationError("more than one share") }
        share = percent / 100
      } else if let named = Effect.allCases.first(where: { $0.name == part && $0 > .negligible }) {
        guard effect == nil else { throw ValidationError("more than one effect") }
        effect = named
      } else if let duration = try? DurationText.nanoseconds(part) {
        guard ns == nil else { throw ValidationError("more than one time") }
        ns = duration
      } else {
        throw ValidationError(
          "expected a share such as 5%, an effect (small, medium, large) or \(DurationText.expectation), got "
            + "'\(part)'"
        )
      }
    }
    let standard = RelevantDifference.standard
    return RelevantArgument(
      RelevantDifference(
        share: share ?? standard.share, ns: ns ?? standard.ns, effect: effect ?? standard.effect))
  }

  /// The value as a user would type it; help shows the default in this form.
  var description: String {
    "\(Units.significant(difference.share * 100).with("", for: ".00"))%,\(DurationText.word(difference.ns)),"
      + difference.effect.name
  }
}

/// Stall monitors on the command line, separated by commas: names, or `fps` with settings.
struct DetectorsArgument: ExpressibleByArgument {
  /// The monitors if none are given. The parser would describe the default of a list with generic code, which searches
  /// all conformances of the program.
  static let standard = Detector.standard.map(\.name).joined(separator: ",")

  let detectors: [Detector]

  init?(argument: String) {
    let names = argument.split(separator: ",")
    let named = names.compactMap { Detector.named(String($0)) }
    detectors = argument == "all" ? Detector.all : named
    guard argument == "all" || !named.isEmpty && named.count == names.count else { return nil }
  }

  static let allValueStrings = Detector.all.map(\.name) + ["all"]
  static var defaultCompletionKind: CompletionKind { .list(allValueStrings) }
}

/// A number of bytes on the command line: 64M, 64MiB, 2G, 500000. Read with `transform:`, like `DurationArgument`.
struct SizeArgument {
  let bytes: UInt64

  static func read(_ text: String) throws -> SizeArgument {
    guard let size = SizeArgument(argument: text) else {
      throw ValidationError("expected a size such as 500000, 64K, 64M or 2G, got '\(text)'")
    }
    return size
  }

  init?(argument: String) {
    let number = argument.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
    let units: [String: Double] = [
      "": 1, "B": 1, "K": 0x1p10, "KIB": 0x1p10, "M": 0x1p20, "MIB": 0x1p20, "G": 0x1p30, "GIB": 0x1p30,
      "KB": 1e3,
      "MB": 1e6, "GB": 1e9,
    ]
    guard let value = Double(number), let unit = units[argument.dropFirst(number.count).uppercased()] else {
      return nil
    }
    let product = value * unit
    guard product >= 0, product < 1e15 else { return nil }
    bytes = UInt64(product)
  }
}

/// A moment on the command line: a time into the trace, or wall-clock time.
enum MomentArgument {
  case nanoseconds(UInt64)
  case date(Date)

  static func read(_ text: String) throws -> MomentArgument {
    if let ns = try? DurationText.nanoseconds(text) { return .nanoseconds(ns) }
    for hasFractions in [true, false] {
      // A formatter would load the data of ICU.
      let style = Date.ISO8601FormatStyle(includingFractionalSeconds: hasFractions)
      if let date = try? Date(text, strategy: style) { return .date(date) }
    }
    throw ValidationError(
      "expected a wall-clock time such as 2026-11-20T14:03:05.25Z, or \(DurationText.expectation) into the "
        + "trace, got '\(text)'"
    )
  }

  /// Returns the moment in the trace's time units.
  func units(in reader: TraceReader, file: String) throws(Failure) -> UInt64 {
    let unit = Double(reader.header.timeUnit.nanoseconds)
    switch self {
    case .nanoseconds(let ns): return UInt64(clamping: (Double(ns) / unit).rounded())
    case .date(let date):
      guard let sync = reader.syncPoints.first else {
        throw Failure(
          status: .badData,
          message: "\(file): the trace has no wall-clock time; give seconds into the trace instead")
      }
      // Both numbers are near 2e18, so the difference is computed with integers.
      let seconds = min(max(0, date.timeIntervalSince1970), 9e9)
      let wanted =
        UInt64(clamping: seconds) * 1_000_000_000
        + UInt64(clamping: seconds.truncatingRemainder(dividingBy: 1) * 1e9)
      let units = Int64(clamping: sync.time)
        .addingReportingOverflow(
          Int64(bitPattern: wanted &- sync.realtimeNs) / Int64(reader.header.timeUnit.nanoseconds))
      return units.overflow ? .max : UInt64(max(0, units.partialValue))
    }
  }
}
