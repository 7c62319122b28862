#if canImport(os)
import os
#endif

/// Repeats marks, intervals and callouts as signposts, so that Instruments shows them alongside its own tracks. Does
/// nothing on systems without signposts.
struct SignpostMirror: Sendable {
  #if canImport(os)
  private let poster: OSSignposter

  /// `subsystem`: the name that Instruments filters by.
  init(subsystem: String) { poster = OSSignposter(subsystem: subsystem, category: "rltrace") }

  func mark(_ name: String) { poster.emitEvent("mark", "\(name, privacy: .public)") }

  func begin(_ name: String) -> Interval {
    Interval(
      poster: poster,
      state: poster.beginInterval("interval", id: poster.makeSignpostID(), "\(name, privacy: .public)"))
  }

  /// Returns `body` with an interval around each call while a tool listens.
  func around(_ body: @escaping () -> Void, named name: String) -> () -> Void {
    { [poster] in
      guard poster.isEnabled else { return body() }
      let state = poster.beginInterval("callout", id: poster.makeSignpostID(), "\(name, privacy: .public)")
      body()
      poster.endInterval("callout", state)
    }
  }

  /// An open interval.
  struct Interval: @unchecked Sendable {
    fileprivate let poster: OSSignposter
    fileprivate let state: OSSignpostIntervalState

    func end() { poster.endInterval("interval", state) }
  }
  #else
  init(subsystem: String) {}
  func mark(_ name: String) {}
  func begin(_ name: String) -> Interval { Interval() }
  func around(_ body: @escaping () -> Void, named name: String) -> () -> Void { body }

  /// An open interval.
  struct Interval: Sendable { func end() {} }
  #endif
}
