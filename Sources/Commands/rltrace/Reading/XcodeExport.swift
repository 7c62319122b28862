import Foundation
import TraceFormat
import TraceImport

/// Exports the tables of an Instruments recording with xctrace, which exists only on macOS. This code has never been
/// run.
enum XcodeExport {
  /// Calls `read` with the name of a temporary file for each table that the recording has.
  static func tables(of recording: String, _ read: (String) throws -> Void) throws {
    #if os(macOS)
    let file = try OtherProgram.temporaryFile(".xml")
    defer { unlink(file) }
    for table in InstrumentsRecording.tableNames {
      unlink(file)
      let path = "/trace-toc/run[@number=\"1\"]/data/table[@schema=\"\(table)\"]"
      let command = ["xcrun", "xctrace", "export", "--input", recording, "--output", file, "--xpath", path]
      // xctrace crashes at times; a second attempt helps.
      guard run(command) == 0 || run(command) == 0 else {
        throw Failure(
          status: .unavailable, file: recording, message: "xctrace could not export the table \(table)")
      }
      if sizeOfFile(file) ?? 0 > 0 { try read(file) }
    }
    #else
    throw Failure(
      status: .unavailable, file: recording,
      message:
        "only a Mac can read an Instruments recording; export its tables there (see `rltrace import --help`)")
    #endif
  }

  #if os(macOS)
  /// Runs a command and returns its exit status; nil if it could not run.
  private static func run(_ command: [String]) -> Int32? {
    guard let process = OtherProgram.start(command) else { return nil }
    var status: Int32 = 0
    while waitpid(process, &status, 0) < 0 { if errno != EINTR { return nil } }
    return status
  }
  #endif
}
