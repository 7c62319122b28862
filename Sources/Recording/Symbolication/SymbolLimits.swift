import RunLoopVocabulary

/// Limits on data from files of programs and libraries, from folders of such files, and from llvm-symbolizer.
package enum SymbolLimits {
  package static let symbols = 1 << 23
  /// The size of anything that is read at once. The names of all symbols are the largest.
  package static let sectionBytes = 1 << 28
  package static let noteBytes = 1 << 16
  package static let dynamicBytes = 1 << 20
  package static let slices = 32
  package static let commandBytes = 1 << 20
  package static let folderEntries = 50_000
  package static let folderDepth = 8
  /// The size of a mangled name.
  package static let symbolBytes = 1 << 14
  package static let nameBytes = 1 << 12
  /// The length of a symbol that stays mangled.
  package static let shownCharacters = 299
  /// Short, because a recording waits for the name while its rings fill.
  package static let demanglingMs = 500
  /// The memory beyond what the process has already.
  package static let demanglingBytes = 1 << 28
  package static let demanglingLosses = 4
  package static let answerBytes = 1 << 22
  package static let answerFrames = 256
  package static let answerDepth = 16
  /// The time without any answer, then the time for all answers. The first answer about a file of gigabytes takes
  /// seconds.
  package static let answerIdleMs = 30_000
  package static let answersMs = 180_000
  /// The time for all answers when a recording ends, because its user waits.
  package static let recordedAnswersMs = 10_000
  package static let answerLosses = 4

  package static let all = [
    Limit("symbols", symbols, of: "symbols of an ELF file", beyond: unnamed),
    Limit("sectionBytes", sectionBytes, of: "bytes of a part of an ELF file", beyond: unnamed),
    Limit(
      "noteBytes", noteBytes, of: "bytes of the notes with a build id",
      beyond: "no build id"),
    Limit(
      "dynamicBytes", dynamicBytes, of: "bytes of an ELF file's dynamic section",
      beyond: "counts as empty"),
    Limit("slices", slices, of: "architectures of a Mach-O file", beyond: unnamed),
    Limit("commandBytes", commandBytes, of: "bytes of a Mach-O file's load commands", beyond: unnamed),
    Limit("folderEntries", folderEntries, of: "files in a folder of `--symbols`", beyond: unseen),
    Limit("folderDepth", folderDepth, of: "nested folders", beyond: unseen),
    Limit("symbolBytes", symbolBytes, of: "bytes of a mangled name", beyond: mangled),
    Limit("nameBytes", nameBytes, of: "bytes of a demangled name", beyond: "cut"),
    Limit(
      "shownCharacters", shownCharacters, of: "characters of an unsimplified symbol", beyond: "cut"),
    Limit("demanglingMs", demanglingMs, of: "milliseconds to demangle a name", beyond: mangled),
    Limit("demanglingBytes", demanglingBytes, of: "bytes of memory to demangle a name", beyond: mangled),
    Limit(
      "demanglingLosses", demanglingLosses, of: "names that exceed one of these two limits",
      beyond: "all further names stay mangled"),
    Limit("answerBytes", answerBytes, of: "bytes of an answer from llvm-symbolizer", beyond: unanswered),
    Limit("answerFrames", answerFrames, of: "functions in an answer", beyond: unanswered),
    Limit("answerDepth", answerDepth, of: "nested JSON values", beyond: unanswered),
    Limit("answerIdleMs", answerIdleMs, of: "milliseconds without an answer", beyond: unanswered),
    Limit(
      "answersMs", answersMs, of: "milliseconds for the answers about all files",
      beyond: unasked),
    Limit(
      "recordedAnswersMs", recordedAnswersMs, of: "the same when a recording ends",
      beyond: unasked),
    Limit(
      "answerLosses", answerLosses, of: "files that exceed one of these limits",
      beyond: unasked),
  ]

  private static let unnamed = "no names of functions"
  private static let unseen = "not searched; a note"
  private static let mangled = "the name stays mangled"
  private static let unasked = "further functions from symbol tables"
  private static let unanswered = "functions from the symbol table"
}
