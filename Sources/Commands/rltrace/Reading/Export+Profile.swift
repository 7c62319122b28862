import ArgumentParser
import TraceAnalysis
import TraceExchange
import TraceFormat

extension Export {
  /// Writes the sampled stacks as a profile of pprof.
  func exportProfile() throws {
    let path = output ?? ""
    if !Terminal.isStandardOutput(path) { try FileUse.write([(path, "-o")]) }
    let (reader, options) = try read()
    let sink = try Output.binary(path)
    let run: AnalysisRun
    let bytes: [UInt8]
    do {
      run = try AnalysisRun(reader, options, file: file)
      bytes = PprofProfile(run.analysis).bytes
      do throws(TraceFormatError) {
        try sink.write(bytes)
        try sink.commit()
      } catch {
        throw Output.failure(path, error)
      }
    } catch {
      sink.discard()
      throw error
    }
    let stacks = run.analysis.sampledStacks.count
    Terminal.complain(
      stacks == 0
        ? "\(Output.name(path)): the recording has no sampled stacks"
        : "\(Output.name(path)): \(stacks) stacks, \(Units.bytes(UInt64(bytes.count))); open it with go tool pprof"
    )
    gaps.noteUnit([run.length])
    if let problem = run.problem { throw problem }
  }
}
