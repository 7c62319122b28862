import Symbolication
import TraceFormat
import TraceRecorder

/// Names from the symbol tables of the program and its libraries.
public final class ProgramNaming: CodeNaming {
  private static let siteFrames = 3
  /// Characters of a name that tells more than usual.
  private static let longest = 300
  private let symbolizer: Symbolizer

  /// `symbols`: what the processes of a recording share.
  public init(_ symbols: SymbolCache = SymbolCache()) { symbolizer = Symbolizer(symbols) }

  public func add(_ image: MappedImage) { symbolizer.add(image) }

  public func name(
    ofCallout work: CalloutWork, _ addresses: [UInt64], isOwn: Bool, madeAt returnAddresses: [UInt64]
  ) -> String {
    let function = function(among: addresses).flatMap { $0.isThunk ? nil : $0 }
    if isOwn { return function.map(distinct) ?? work.text }
    // Of a job, the runtime's own functions say nothing.
    let what = (work == .job ? nil : function?.function) ?? work.text
    guard let address = returnAddresses.first,
      let maker = symbolizer.location(of: address, isReturnAddress: true)
    else { return what }
    return "\(what) from \(maker.text)"
  }

  /// The first that is no thunk, and begins a function: what a context holds may look like code by chance.
  private func function(among addresses: [UInt64]) -> CodeLocation? {
    let locations = addresses.compactMap { symbolizer.location(of: $0) }
    return locations.first { !$0.isThunk && $0.isStart } ?? locations.first { !$0.isThunk } ?? locations.first
  }

  /// The function's name, with more of it where another function has that name already.
  private func distinct(_ location: CodeLocation) -> String {
    guard let name = location.function else { return location.text }
    // The compiler makes several functions of one in Swift; elsewhere each is one.
    let identity = Identity(
      module: location.module, function: location.fullName ?? name,
      start: location.fullName == nil ? location.start : nil)
    if let known = nameOf[identity] { return known }
    var candidates = [name]
    if let holder = holderOf[name], holder.module != location.module {
      candidates.append("\(name) (\(location.module))")
    }
    if let full = location.fullName { candidates.append(String(full.prefix(ProgramNaming.longest))) }
    candidates.append("\(name) (\(location.place))")
    let chosen = candidates.first { holderOf[$0] == nil } ?? location.place
    holderOf[chosen] = identity
    nameOf[identity] = chosen
    return chosen
  }

  private struct Identity: Hashable {
    var module: String
    var function: String
    var start: UInt64?
  }

  private var nameOf: [Identity: String] = [:]
  private var holderOf: [String: Identity] = [:]

  /// `Model.start(_:) (app+0x1234) < main (app+0x1300)`.
  public func name(ofSite returnAddresses: [UInt64]) -> String {
    returnAddresses.prefix(ProgramNaming.siteFrames).map { address in
      guard let location = symbolizer.location(of: address, isReturnAddress: true) else {
        return "0x" + String(address, radix: 16)
      }
      return location.function.map { "\($0) (\(location.place))" } ?? location.place
    }.joined(separator: " < ")
  }
}
