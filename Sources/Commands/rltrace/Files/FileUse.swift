import SystemSupport
import TraceFormat

/// The files that one run of the command reads and writes. No output replaces an input or another output.
///
/// A command enters all files of its command line before it writes anything. Code that opens a file also enters it,
/// so that files found later, such as files with symbols, are protected too.
enum FileUse {
  typealias NamedOutput = (path: String, option: String)

  private struct Input {
    let path: String
    let place: FilePlace
    let what: String
    let isStream: Bool

    /// Whether the name still leads to the file. The system gives the identity of a removed file to a new one.
    var isThere: Bool { isStream || FilePlace(path: path) == place }
  }

  private struct State {
    var inputs: [Input] = []
    var outputs: [NamedOutput] = []
  }

  private static let state = Locked(State())

  // MARK: Entering

  /// Enters a file that the command reads. `-` is standard input. The first entry of a file determines its
  /// description.
  static func read(_ path: String?, as what: String = "trace") {
    guard let path else { return }
    let isStream = TextFile.isStandardInput(path)
    guard let place = isStream ? FilePlace(descriptor: STDIN_FILENO) : FilePlace(path: path) else { return }
    state.withLock { state in
      guard !state.inputs.contains(where: { $0.place == place && $0.isThere }) else { return }
      state.inputs.append(
        Input(path: isStream ? "standard input" : path, place: place, what: what, isStream: isStream))
    }
  }

  static func read(_ paths: [String], as what: String = "trace") {
    for path in paths { read(path, as: what) }
  }

  /// Enters the files that the command will write; `-` is standard output. Throws if an output would replace an input
  /// or another output. Call it before the long work, and before anything is written.
  static func write(_ outputs: [NamedOutput]) throws(Failure) {
    state.withLock { $0.outputs += outputs.filter { !Terminal.isStandardOutput($0.path) } }
    try check()
  }

  /// Enters a file that is about to be opened for writing. Throws like `write`.
  static func open(_ path: String) throws(TraceFormatError) {
    state.withLock { state in
      let isEntered = state.outputs.contains { $0.path == path } || Terminal.isStandardOutput(path)
      if !isEntered { state.outputs.append((path, "-o")) }
    }
    if let problem = problem() { throw .nameTaken(what: "cannot write \(path): \(problem.what)") }
  }

  /// Checks again after files that are not on the command line were entered.
  static func check() throws(Failure) {
    guard let problem = problem() else { return }
    throw Failure(status: .usage, message: "\(problem.what); \(problem.remedy)")
  }

  // MARK: Judging

  private typealias Problem = (what: String, remedy: String)

  private static func problem() -> Problem? {
    let state = state.withLock { $0 }
    let outputs = state.outputs.map { (output: $0, place: FilePlace(path: $0.path)) }
    for (output, place) in outputs {
      if let input = state.inputs.first(where: { $0.place == place && $0.isThere }) {
        return (
          "\(output.path) would overwrite the input \(input.what)"
            + (output.path == input.path ? "" : ", \(input.path)"),
          "choose another place with \(output.option)"
        )
      }
    }
    for (number, one) in outputs.enumerated() {
      guard let place = one.place, let other = outputs[..<number].first(where: { $0.place == place }) else {
        continue
      }
      return sameFile(one.output.path, other.output.option, one.output.option)
    }
    for (descriptor, name) in [(STDOUT_FILENO, "standard output"), (STDERR_FILENO, "standard error")] {
      // Terminals, pipes and devices cannot be replaced.
      guard let place = FilePlace(descriptor: descriptor) else { continue }
      if descriptor == STDOUT_FILENO,
        let input = state.inputs.first(where: { $0.place == place && $0.isThere })
      {
        return (
          "standard output would overwrite the input \(input.what), \(input.path)",
          "redirect it to another file"
        )
      }
      if let other = outputs.first(where: { $0.place == place }) {
        return sameFile(other.output.path, name, other.output.option)
      }
    }
    return nil
  }

  private static func sameFile(_ path: String, _ one: String, _ other: String) -> Problem {
    ("\(path): \(one) and \(other) would write the same file", "give each its own file")
  }
}

/// The place to which a name leads: an existing file, under whatever name, or a file that can be created.
struct FilePlace: Equatable {
  /// The identity of the file, or of the nearest existing folder.
  private let identity: FileIdentity
  /// The names below that folder.
  private let names: [String]

  /// Returns nil for a pipe, a device or a socket, and when the place cannot be determined.
  init?(path: String) {
    switch FilePlace.kind(of: path) {
    case .file(let identity): self.init(identity: identity, names: [])
    case .other: return nil
    case .absent:
      var above = path.split(separator: "/").map(String.init)
      var below: [String] = []
      while let last = above.popLast() {
        below.insert(last, at: 0)
        let folder = (path.hasPrefix("/") ? "/" : "./") + above.joined(separator: "/")
        guard case .file(let identity) = FilePlace.kind(of: folder) else { continue }
        self.init(identity: identity, names: FilePlace.plain(below))
        return
      }
      return nil
    }
  }

  /// Returns the place of an open file; nil if it is not a regular file.
  init?(descriptor: Int32) {
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
    self.init(identity: FileIdentity(status), names: [])
  }

  private init(identity: FileIdentity, names: [String]) {
    self.identity = identity
    self.names = names
  }

  private enum Kind {
    case file(FileIdentity)
    case other
    case absent
  }

  /// Returns the kind of the file. Follows symbolic links.
  private static func kind(of path: String) -> Kind {
    var status = stat()
    guard stat(path, &status) == 0 else { return .absent }
    let type = status.st_mode & S_IFMT
    return type == S_IFREG || type == S_IFDIR ? .file(FileIdentity(status)) : .other
  }

  /// Returns the names without `.` and `..`. Files that do not exist have no links.
  private static func plain(_ names: [String]) -> [String] {
    names.reduce(into: []) { plain, name in
      if name == ".." { plain.removeLast(plain.isEmpty ? 0 : 1) } else if name != "." { plain.append(name) }
    }
  }
}
