/// Limits on data from files of programs and libraries, from folders of such files, and from llvm-symbolizer.
package enum SymbolLimits {
  /// Symbols of an ELF file. Beyond: no names of functions.
  package static let symbols = 1 << 23
  /// Bytes of a part of an ELF file. Beyond: no names of functions. The names of all symbols are the largest part.
  package static let sectionBytes = 1 << 28
  /// Bytes of the notes with a build id. Beyond: no build id.
  package static let noteBytes = 1 << 16
  /// Bytes of an ELF file's dynamic section. Beyond: counts as empty.
  package static let dynamicBytes = 1 << 20
  /// Architectures of a Mach-O file. Beyond: no names of functions.
  package static let slices = 32
  /// Bytes of a Mach-O file's load commands. Beyond: no names of functions.
  package static let commandBytes = 1 << 20
  /// Files in a folder of `--symbols`. Beyond: not searched; a note.
  package static let folderEntries = 50_000
  /// Nested folders. Beyond: not searched; a note.
  package static let folderDepth = 8
  /// Bytes of a mangled name. Beyond: the name stays mangled.
  package static let symbolBytes = 1 << 14
  /// Bytes of a demangled name. Beyond: cut.
  package static let nameBytes = 1 << 12
  /// Characters of an unsimplified symbol. Beyond: cut.
  package static let shownCharacters = 299
  /// Milliseconds to demangle a name. Beyond: the name stays mangled. Short, because a recording waits for the name
  /// while its rings fill.
  package static let demanglingMs = 500
  /// Bytes of memory to demangle a name. Beyond: the name stays mangled. Memory that the process has already does not
  /// count.
  package static let demanglingBytes = 1 << 28
  /// Names that exceed one of these two limits. Beyond: all further names stay mangled.
  package static let demanglingLosses = 4
  /// Bytes of an answer from llvm-symbolizer. Beyond: functions from the symbol table.
  package static let answerBytes = 1 << 22
  /// Functions in an answer. Beyond: functions from the symbol table.
  package static let answerFrames = 256
  /// Nested JSON values. Beyond: functions from the symbol table.
  package static let answerDepth = 16
  /// Milliseconds without an answer. Beyond: functions from the symbol table. The first answer about a file of
  /// gigabytes takes seconds.
  package static let answerIdleMs = 30_000
  /// Milliseconds for the answers about all files. Beyond: further functions from symbol tables.
  package static let answersMs = 180_000
  /// The same when a recording ends. Beyond: further functions from symbol tables. Short, because the user of a
  /// recording waits.
  package static let recordedAnswersMs = 10_000
  /// Files that exceed one of these limits. Beyond: further functions from symbol tables.
  package static let answerLosses = 4
}
