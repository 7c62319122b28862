import Foundation
import TestSupport
import Testing
import TraceAnalysis

/// A program that computes on a processor that busy threads share, by the kernel's own account.
@Suite(.ownThread) struct ContendedProcessorTests {
  /// Records the program on one of the processors that this process may use.
  private func record(in folder: TemporaryFolder) throws -> (analysis: Analysis, output: String) {
    let onOne = Program(
      shell: """
        first=$(taskset -cp $$ | sed 's/.*: //; s/[-,].*//')
        exec taskset -c "$first" "$0" "$@"
        """)
    let recorded = try onOne.run(
      [
        Program.rltrace.path, "record", "-q", "-o", "out.rltrace", "--", Program("field-programs").path,
        "contended",
      ], folder: folder.path)
    try #require(recorded.status == 0, "\(recorded.errors)")
    let trace = try openTrace(path: folder.file("out.rltrace"))
    return (try TraceAnalyzer(trace).analyze(), recorded.output)
  }

  @Test func theAccountIsTheKernels() throws {
    ReportedStall.unblockSignals()
    let (analysis, output) = try record(in: TemporaryFolder())
    let lines = output.split(separator: "\n").map { $0.split(separator: " ").compactMap { Double($0) } }
    try #require(lines.count == 3 && lines.allSatisfy { $0.count == 2 }, "\(output)")
    let (ran, waited) = (lines.reduce(0) { $0 + $1[0] }, lines.reduce(0) { $0 + $1[1] })
    let rows = analysis.callouts.filter { $0.account != nil }
    let account = try #require(rows.compactMap(\.account).max { $0.cpuNs < $1.cpuNs })
    #expect(account.gaps == 3)
    // The program reads its account inside the callout.
    #expect(abs(Double(account.waitedAtMostNs) - waited) < 0.1 * waited, "\(account) \(output)")
    #expect(abs(Double(account.cpuAtMostNs) - ran) < 0.1 * ran, "\(account) \(output)")
    // Times between two readings are not more than all. The processor's clock is booked at each tick.
    #expect(Double(account.waitedNs) < 1.02 * waited && Double(account.cpuNs) < 1.1 * ran, "\(account)")
    #expect(account.waitedNs > account.cpuNs && account.coveredNs <= account.gapsNs)
  }

  /// A busy machine is not the fault of the program. The severity of its own 120 ms depends on the length of the run.
  @Test func theMachineIsNamed() throws {
    ReportedStall.unblockSignals()
    let (analysis, output) = try record(in: TemporaryFolder())
    let hang = try #require(analysis.findings.first { $0.rule == .hang }, "\(output)")
    #expect(hang.text.contains("the machine was busy"), "\(hang.text)")
    #expect(hang.remedy.hasPrefix("Other threads or programs used the processor."), "\(hang.remedy)")
    #expect(hang.severity != .error, "\(hang.text)")
  }
}
