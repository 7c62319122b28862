import TraceFormat

/// A trace of a nameless source0 from 500 to 900 ms, in a gap that is 20 µs longer, with the account of its thread.
/// Between the first and the last reading in the gap are 350 ms. The thread had a processor for 85 ms of them, and was
/// ready without one for 265 ms. From the reading before the gap to the one after it, these are 97 and 303 ms.
package enum AccountTrace {
  package static let gapNs: UInt64 = 400_020_000

  private static let unknown = UInt64.max

  /// Returns a state that was read `age` µs before `time`, with times in ms. `isSample`: with a stack; else only the
  /// times are known.
  private static func state(_ time: Int, cpu: Int, waited: Int, age: Int = 0, isSample: Bool = false)
    -> String
  {
    let rest = isSample ? "0" : "\(unknown)"
    let state =
      "\(time) thread.state thread=1 state=\(isSample ? "82" : rest) system_call=\(unknown) "
      + "cpu_ns=\(1_000_000 * (1000 + cpu)) waited_ns=\(1_000_000 * waited) voluntary_switches=\(rest) "
      + "involuntary_switches=\(rest) minor_faults=\(rest) major_faults=\(rest) read_bytes=\(rest) "
      + "written_bytes=\(rest) awaited_thread=0 descriptor=0 age_ns=\(1000 * age)\n"
    return state + (isSample ? "\(time) thread.stack thread=1 reason=1 frame=0x1010\n" : "")
  }

  /// The events of the recorder: the account before the gap, the first in it, a sample, the last account in the gap,
  /// and the one after it. `hasOuter`: with the first and the last of these.
  package static func recorded(hasOuter: Bool = true) -> String {
    let before = state(560_000, cpu: 0, waited: 0, age: 160_000)
    let after = state(960_000, cpu: 97, waited: 303)
    return (hasOuter ? before : "") + state(560_000, cpu: 2, waited: 8, age: 50_000)
      + state(560_000, cpu: 12, waited: 48, isSample: true)
      + state(960_000, cpu: 87, waited: 273, age: 100_000) + (hasOuter ? after : "")
  }

  /// Returns the trace with these events of the recorder.
  package static func bytes(_ recorder: String = recorded()) throws -> [UInt8] {
    var trace = HandTrace(main: HandTrace.held(at: 500_000, for: 400_000), recorder: recorder)
    trace.facts = ["machine=x86_64", "recorder_thread=2"]
    return try assembleTrace(trace.text().replacing("minor=0", with: "minor=2"))
  }
}
