/// Limits on what commands keep of a trace besides its definitions and one block.
package enum ReadingLimits {
  /// Resident memory of a command for each file that it reads at a time. Beyond: file refused; `RLTRACE_MEMORY=1G`
  /// allows more. This is 8 MiB below the documented limit, because memory is checked only from time to time.
  package static let residentBytes = 120 << 20
  /// Traces that `summarize` reads at a time. Beyond: read later. Each needs memory of its own.
  package static let tracesAtOnce = 4
  /// Objects whose names `dump` shows. Beyond: not used; standard error says so.
  package static let objectDefinitions = 1 << 20
  /// Images that `symbolicate` reads. Beyond: left out; a note.
  package static let images = 1 << 12
  /// Named addresses of stacks. Beyond: left out; a note.
  package static let addresses = 1 << 18
  /// Callouts and sites with file and line. Beyond: left out.
  package static let namedCodes = 1 << 14
  /// Recorded callers that created an object with this name. Beyond: left out.
  package static let makersPerName = 8
  /// Functions at an address, including inlined ones. Beyond: left out; a note.
  package static let functionsPerAddress = 256
  /// Functions at all addresses. Beyond: left out; a note.
  package static let functions = 1 << 18
}
