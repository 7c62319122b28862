import TraceFormat

/// The files of one run of the command: what it reads and what it writes. No output replaces an input, or another output.
///
/// A command enters all files that its command line names before it writes anything. What opens a file enters it as well, so
/// that files found later, as those with symbols, are protected too.
enum FileUse {
  typealias NamedOutput = (path: String, option: String)

  private struct Input {
    let path: String
    let place: FilePlace
    let what: String
  }

  private struct State {
    var inputs: [Input] = []
    var outputs: [NamedOutput] = []
  }

  private static let state = Locked(State())

  // MARK: Entering

  /// The command reads this file. `-` is standard input. The first who enters a file says what it is.
  static func read(_ path: String?, as what: String = "trace") {
    guard let path else { return }
    let isStream = TextFile.isStandardInput(path)
    guard let place = isStream ? FilePlace(descriptor: STDIN_FILENO) : FilePlace(path: path) else { return }
    state.withLock { state in
      guard !state.inputs.contains(where: { $0.place == place }) else { return }
      state.inputs.append(Input(path: isStream ? "standard input" : path, place: place, what: what))
    }
  }

  static func read(_ paths: [String], as what: String = "trace") {
    for path in paths { read(path, as: what) }
  }

  /// The command is going to write these files; `-` is standard output. Throws when that would replace an input, or one of
  /// them another one. Before the long work, and before anything is written.
  static func write(_ outputs: [NamedOutput]) throws(Failure) {
    state.withLock { $0.outputs += outputs.filter { !Output.isStandardOutput($0.path) } }
    try check()
  }

  /// A file is opened for writing now. Throws as `write` does.
  static func open(_ path: String) throws(TraceFormatError) {
    state.withLock { state in
      let isEntered = state.outputs.contains { $0.path == path } || Output.isStandardOutput(path)
      if !isEntered { state.outputs.append((path, "-o")) }
    }
    if let problem = problem() { throw .nameTaken(what: "cannot write \(path): \(problem.what)") }
  }

  /// Once more, after files were entered that the command line does not name.
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
      if let input = state.inputs.first(where: { $0.place == place }) {
        return (
          "\(output.path) is the \(input.what) itself\(output.path == input.path ? "" : ", \(input.path)")",
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
      // A terminal, a pipe or a device is no file that is replaced.
      guard let place = FilePlace(descriptor: descriptor) else { continue }
      if descriptor == STDOUT_FILENO, let input = state.inputs.first(where: { $0.place == place }) {
        return ("standard output goes into the \(input.what) itself, \(input.path)", "send it elsewhere")
      }
      if let other = outputs.first(where: { $0.place == place }) {
        return sameFile(other.output.path, name, other.output.option)
      }
    }
    return nil
  }

  private static func sameFile(_ path: String, _ one: String, _ other: String) -> Problem {
    ("\(path): \(one) and \(other) would write the same file", "give each a place of its own")
  }
}

/// Where a name leads: to a file that is there, whatever name it goes by, or to one that can be made.
struct FilePlace: Equatable {
  /// Of the file, or of the folder that is nearest to it.
  private let identity: FileIdentity
  /// Names below that folder.
  private let names: [String]

  /// Nil for a pipe, a device or a socket, and where nothing can be told.
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

  /// Of an open file.
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

  /// Symbolic links are followed.
  private static func kind(of path: String) -> Kind {
    var status = stat()
    guard stat(path, &status) == 0 else { return .absent }
    let type = status.st_mode & S_IFMT
    return type == S_IFREG || type == S_IFDIR ? .file(FileIdentity(status)) : .other
  }

  /// Without `.` and `..`: what is not there has no links.
  private static func plain(_ names: [String]) -> [String] {
    names.reduce(into: []) { plain, name in
      if name == ".." { plain.removeLast(plain.isEmpty ? 0 : 1) } else if name != "." { plain.append(name) }
    }
  }
}
