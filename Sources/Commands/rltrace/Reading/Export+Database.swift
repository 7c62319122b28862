import ArgumentParser
import TraceAnalysis
import TraceExchange
import TraceFormat
import TraceTables

extension Export {
  /// Writes all tables into one SQLite database.
  func exportDatabase() throws {
    let path = output ?? ""
    try FileUse.write([(path, "-o")])
    let (reader, asked) = try read()
    var options = asked
    let file: FileSink
    do throws(TraceFormatError) { file = try Output.file(path, isDurable: false) } catch {
      throw Failure.writing(path, error)
    }
    do {
      let database = try database { () throws(SQLiteExportError) in
        try SQLiteExporter(path: file.workingName, reader: reader)
      }
      options.sink = database
      let run = try AnalysisRun(reader, options, file: self.file)
      try by?.check(run.analysis)
      try self.database { () throws(SQLiteExportError) in try database.finish(run.analysis) }
      do throws(TraceFormatError) { try file.commit() } catch { throw Failure.writing(path, error) }
      Terminal.complain("wrote \(ExportTable.allCases.count) tables into \(path)")
      for note in database.omissions { Terminal.complain("\(harmless(self.file, limit: 200)): \(note.text)") }
      gaps.noteUnit([run.length])
      if let problem = run.problem { throw problem }
    } catch {
      file.discard()
      throw error
    }
  }

  private func database<Result>(_ body: () throws(SQLiteExportError) -> Result) throws(Failure) -> Result {
    do throws(SQLiteExportError) { return try body() } catch {
      let status: ExitStatus = if case .noLibrary = error { .unavailable } else { .ioError }
      throw Failure(status: status, file: output, message: "\(error)")
    }
  }
}
