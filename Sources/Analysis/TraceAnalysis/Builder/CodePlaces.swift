import CallStacks
import TraceFormat
import TraceReplay
import TraceResults

/// The files and lines of the code behind names.
struct CodePlaces {
  private let byName: [UInt32: CodeResult]

  init(_ code: CodeNames, _ named: inout NamedAddresses, _ names: TraceNames) {
    var frames: [StackAddress: [StackFrame]] = [:]
    func found(at address: StackAddress, _ named: inout NamedAddresses) -> [StackFrame] {
      if let known = frames[address] { return known }
      let all = named.frames(at: address)
      // The program's own innermost code, and the function itself. A thunk that the compiler made has no source line,
      // but the closure inlined into it does.
      let both = [
        all.first { !$0.isInlinedFromLibrary } ?? all[0], all.last { $0.line != nil } ?? all[all.count - 1],
      ]
      frames[address] = both
      return both
    }
    var byName: [UInt32: CodeResult] = [:]
    for code in code.codes {
      guard let name = names.string(StringID(code.name)) else { continue }
      byName[code.name] = with(CodeResult()) { it in
        it.name = name
        it.function = code.function.map { found(at: $0, &named)[1] }
        it.makers = code.makers.map { found(at: $0, &named)[0] }
      }
    }
    self.byName = byName
  }

  /// The results sorted by name.
  var results: [CodeResult] {
    byName.ordered { ($0.value.name, $0.key) < ($1.value.name, $1.key) }.map(\.value)
  }

  func function(of name: StringID) -> StackFrame? { byName[name.rawValue]?.function }

  /// Returns the frame of the code that created the object with this name or creation site.
  func maker(_ name: StringID, site: StringID) -> StackFrame? {
    (byName[site.rawValue] ?? byName[name.rawValue])?.maker
  }
}
