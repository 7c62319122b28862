import ArgumentParser
import Foundation
import TraceAnalysis
import TraceComparison
import TraceFormat

/// A length of time on the command line: 250ms, 2s, 800us, 90ns.
struct DurationArgument: ExpressibleByArgument, CustomStringConvertible {
  let nanoseconds: UInt64

  init(nanoseconds: UInt64) { self.nanoseconds = nanoseconds }

  init?(argument: String) {
    let units: [(suffix: String, scale: Double)] = [
      ("ns", 1), ("us", 1e3), ("µs", 1e3), ("ms", 1e6), ("s", 1e9),
    ]
    guard let unit = units.first(where: { argument.hasSuffix($0.suffix) }),
      let value = Double(argument.dropLast(unit.suffix.count)), value >= 0, value * unit.scale < 1e18
    else { return nil }
    nanoseconds = UInt64((value * unit.scale).rounded())
  }

  var description: String { "\(nanoseconds / 1_000_000)ms" }
  var defaultValueDescription: String { description }
}

/// The smallest difference that matters on the command line: 5%,100us,medium, or some of the three.
struct RelevantArgument: ExpressibleByArgument {
  let difference: RelevantDifference

  init(_ difference: RelevantDifference) { self.difference = difference }

  init?(argument: String) {
    var share: Double?
    var ns: UInt64?
    var effect: Effect?
    for part in argument.split(separator: ",", omittingEmptySubsequences: false).map(String.init) {
      if part.hasSuffix("%") {
        guard share == nil, let percent = Double(part.dropLast()), percent >= 0, percent <= 10_000 else {
          return nil
        }
        share = percent / 100
      } else if let named = Effect.allCases.first(where: { $0.name == part && $0 > .negligible }) {
        guard effect == nil else { return nil }
        effect = named
      } else {
        guard ns == nil, let duration = DurationArgument(argument: part) else { return nil }
        ns = duration.nanoseconds
      }
    }
    let standard = RelevantDifference.standard
    difference = RelevantDifference(
      share: share ?? standard.share, ns: ns ?? standard.ns, effect: effect ?? standard.effect)
  }

  var defaultValueDescription: String { "5%,100us,medium" }
}

/// Names of stall monitors on the command line, with commas between.
struct DetectorsArgument: ExpressibleByArgument, CustomStringConvertible {
  let rules: [DetectorRule]

  init(rules: [DetectorRule]) { self.rules = rules }

  init?(argument: String) {
    let names =
      argument == "all"
      ? DetectorRule.allCases.map(\.rawValue) : argument.split(separator: ",").map(String.init)
    var rules: [DetectorRule] = []
    for name in names {
      guard let rule = DetectorRule(rawValue: name) else { return nil }
      if !rules.contains(rule) { rules.append(rule) }
    }
    guard !rules.isEmpty else { return nil }
    self.rules = rules
  }

  var description: String { rules.map(\.rawValue).joined(separator: ",") }
  var defaultValueDescription: String { description }
}

/// A number of bytes on the command line: 64M, 64MiB, 2G, 500000.
struct SizeArgument: ExpressibleByArgument {
  let bytes: UInt64

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

/// How far back a flight recorder goes: a number of seconds, with or without a unit.
struct FlightSpanArgument: ExpressibleByArgument {
  let nanoseconds: UInt64

  init?(argument: String) {
    guard let span = DurationArgument(argument: argument) ?? DurationArgument(argument: argument + "s"),
      span.nanoseconds >= 100_000_000, span.nanoseconds <= 86_400_000_000_000
    else { return nil }
    nanoseconds = span.nanoseconds
  }
}

/// A moment on the command line: seconds into the trace, or wall-clock time.
enum MomentArgument: ExpressibleByArgument {
  case seconds(Double)
  case date(Date)

  init?(argument: String) {
    let number = argument.hasSuffix("s") ? String(argument.dropLast()) : argument
    if let seconds = Double(number), seconds >= 0, seconds < 1e9 {
      self = .seconds(seconds)
      return
    }
    for options: ISO8601DateFormatter.Options in [
      [.withInternetDateTime, .withFractionalSeconds], [.withInternetDateTime],
    ] {
      let formatter = ISO8601DateFormatter()
      formatter.formatOptions = options
      if let date = formatter.date(from: argument) {
        self = .date(date)
        return
      }
    }
    return nil
  }

  /// The moment in the trace's time units.
  func units(in reader: TraceReader, file: String) throws(Failure) -> UInt64 {
    let unit = Double(reader.header.timeUnit.nanoseconds)
    switch self {
    case .seconds(let seconds): return UInt64((seconds * 1e9 / unit).rounded())
    case .date(let date):
      guard let sync = reader.syncPoints.first else {
        throw Failure(
          status: .badData,
          message: "\(file): the trace has no wall-clock time; give seconds into the trace instead")
      }
      // Both numbers are near 2e18: the difference is taken in integers.
      let seconds = min(max(0, date.timeIntervalSince1970), 9e9)
      let wanted = UInt64(seconds) * 1_000_000_000 + UInt64(seconds.truncatingRemainder(dividingBy: 1) * 1e9)
      let units = Int64(clamping: sync.time)
        .addingReportingOverflow(
          Int64(bitPattern: wanted &- sync.realtimeNs) / Int64(reader.header.timeUnit.nanoseconds))
      return units.overflow ? .max : UInt64(max(0, units.partialValue))
    }
  }
}
