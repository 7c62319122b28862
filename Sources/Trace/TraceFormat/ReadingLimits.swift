import RunLoopVocabulary

/// Limits on what commands keep of a trace besides its definitions and one block.
package enum ReadingLimits {
  /// The resident memory of a command: 8 MiB below the documented limit, because it is checked only from time to
  /// time.
  package static let residentBytes = 120 << 20
  /// Definitions of objects whose names the text form shows beside their events.
  package static let objectDefinitions = 1 << 20
  /// Images of code whose addresses are named.
  package static let images = 1 << 12
  /// Addresses of stacks that are named.
  package static let addresses = 1 << 18
  /// Names of callouts and sites whose code is known.
  package static let namedCodes = 1 << 14
  /// Stack frames that show where the object with such a name was created.
  package static let makersPerName = 8
  /// Functions at one address: the inlined ones and the one that contains them.
  package static let functionsPerAddress = 256
  /// Functions at all addresses.
  package static let functions = 1 << 18

  package static let all = [
    Limit(
      "residentBytes", residentBytes, of: "resident memory of a command",
      beyond: "file refused; `RLTRACE_MEMORY=1G` allows more"),
    Limit(
      "objectDefinitions", objectDefinitions,
      of: "objects whose names `dump` shows",
      beyond: "not used; standard error says so"),
    Limit("images", images, of: "images that `symbolicate` reads", beyond: left),
    Limit("addresses", addresses, of: "named addresses of stacks", beyond: left),
    Limit(
      "namedCodes", namedCodes, of: "callouts and sites with file and line", beyond: unplaced),
    Limit(
      "makersPerName", makersPerName, of: "recorded callers that created an object with this name",
      beyond: unplaced),
    Limit(
      "functionsPerAddress", functionsPerAddress, of: "functions at an address, including inlined ones",
      beyond: left),
    Limit("functions", functions, of: "functions at all addresses", beyond: left),
  ]

  private static let left = "left out; a note"
  private static let unplaced = "left out"
}
