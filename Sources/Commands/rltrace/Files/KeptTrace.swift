import Foundation
import TraceComparison
import TraceCompression
import TraceFormat

/// Facts about a trace of an earlier recording that help to choose one.
struct KeptTrace {
  let options: RecordedOptions
  /// The time of day at which the recording began, with the date if it was not today. Nil if the trace does not
  /// contain it.
  let start: String?

  /// Returns nil if the trace cannot be read.
  init?(_ path: String) {
    let source: FileSource
    do throws(TraceFormatError) {
      source = try FileSource(path: path)
      let reader = try TraceReader(source: source, codecs: allCodecs)
      options = RecordedOptions(reader)
      start = reader.syncPoints.first.map { Self.text(time_t(clamping: $0.realtimeNs / 1_000_000_000)) }
    } catch {
      return nil
    }
  }

  private static func text(_ seconds: time_t) -> String {
    let (then, now) = (local(seconds), local(time(nil)))
    let clock = String(format: "%02d:%02d", then.tm_hour, then.tm_min)
    guard then.tm_year != now.tm_year || then.tm_yday != now.tm_yday else { return clock }
    return String(format: "%d-%02d-%02d ", then.tm_year + 1900, then.tm_mon + 1, then.tm_mday) + clock
  }

  private static func local(_ seconds: time_t) -> tm {
    var seconds = seconds
    var parts = tm()
    // SAFETY: both pointers are valid during the call.
    unsafe localtime_r(&seconds, &parts)
    return parts
  }
}
