import Symbolication
import TraceFormat
import TraceRecorder

/// Names code from the symbol tables of the program and its libraries.
package final class ProgramNaming: CodeNaming {
  private static let siteFrames = 3
  /// The maximum length in characters of a full name that distinguishes functions with the same short name.
  private static let longest = 300
  private let symbolizer: Symbolizer

  /// Creates the naming. `symbols`: the cache that the processes of a recording share.
  package init(_ symbols: SymbolCache = SymbolCache()) { symbolizer = Symbolizer(symbols) }

  package func add(_ image: MappedImage) { symbolizer.add(image) }

  package func name(
    ofCallout work: CalloutWork, _ addresses: [UInt64], ownCount: Int, madeAt returnAddresses: [UInt64]
  ) -> CodeName {
    let isOwn = ownCount > 0
    let found = function(among: addresses, of: work, ownCount: ownCount)
    let function = found.flatMap { $0.location.isThunk ? nil : $0.location }
    let makers = Array(returnAddresses.prefix(ProgramNaming.siteFrames))
    // The runtime's own functions do not identify a job or a task.
    let isNamed = function != nil && (isOwn || ![.job, .task].contains(work))
    func named(_ text: String) -> CodeName {
      CodeName(text, function: isNamed ? found?.address : nil, makers: makers)
    }
    if isOwn { return named(function.map(distinct) ?? work.text) }
    let what = (isNamed ? function?.function : nil) ?? work.text
    guard let address = returnAddresses.first,
      let maker = symbolizer.location(of: address, isReturnAddress: true)
    else { return named(what) }
    return named("\(what) from \(maker.text)")
  }

  /// Returns the first location that is not a thunk and begins a function. Other values of a context may look like
  /// code by chance. In a stripped program, the place of its own code says more than the library function that calls
  /// it. A block of a Swift closure begins with a thunk that many blocks share.
  private func function(
    among addresses: [UInt64], of work: CalloutWork, ownCount: Int
  ) -> (address: UInt64, location: CodeLocation)? {
    let found = addresses.compactMap { address in
      symbolizer.location(of: address).map { (address: address, location: $0) }
    }
    let own = found.filter { addresses.prefix(ownCount).contains($0.address) }
    if let first = own.first, own.allSatisfy({ $0.location.function == nil }) {
      return work.isBlock ? own.dropFirst().first ?? first : first
    }
    return found.first { !$0.location.isThunk && $0.location.isStart } ?? found.first { !$0.location.isThunk }
      ?? found.first
  }

  /// Returns the function's name, with more detail if another function already has that name.
  private func distinct(_ location: CodeLocation) -> String {
    guard let name = location.function else { return location.text }
    // In Swift, the compiler may split one function into several. Elsewhere each is a function of its own.
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

  /// Returns a name such as `Model.start(_:) (app+0x1234) < main (app+0x1300)`.
  package func name(ofSite returnAddresses: [UInt64]) -> CodeName {
    let makers = Array(returnAddresses.prefix(ProgramNaming.siteFrames))
    let places = makers.map { address in
      guard let location = symbolizer.location(of: address, isReturnAddress: true) else {
        return "0x" + String(address, radix: 16)
      }
      return location.function.map { "\($0) (\(location.place))" } ?? location.place
    }
    return CodeName(places.joined(separator: " < "), makers: makers)
  }
}
