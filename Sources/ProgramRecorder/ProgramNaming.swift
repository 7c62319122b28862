import Symbolication
import TraceRecorder

/// Names from the symbol tables of the program and its libraries.
public final class ProgramNaming: CodeNaming {
  private static let siteFrames = 3
  private let symbolizer = Symbolizer()

  public init() {}

  public func add(_ image: RecordedImage) {
    symbolizer.add(
      MappedImage(path: image.path, bias: image.bias, range: image.range, buildID: image.buildID))
  }

  public func name(ofCallout addresses: [UInt64]) -> String {
    let locations = addresses.compactMap { symbolizer.location(of: $0) }
    let chosen = locations.first { !$0.isThunk } ?? locations.first
    return chosen?.text ?? addresses.first.map { "0x" + String($0, radix: 16) } ?? "?"
  }

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
