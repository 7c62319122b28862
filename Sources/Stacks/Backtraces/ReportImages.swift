import CallStacks
import RunLoopVocabulary

/// The images that a report lists, with their names, paths and UUIDs.
struct ReportImages {
  private var paths: [String: String] = [:]
  private var ids: [String: String] = [:]
  private var byID: [String: (name: String?, path: String?)] = [:]
  /// The address ranges of images, sorted by address once all are known.
  private var ranges: [(range: ClosedRange<UInt64>, path: String, id: String?)] = []

  /// Adds an image. `id`: a UUID or build id, in any spelling.
  mutating func add(name: String?, path: String?, id: String?) {
    let name = name ?? path.map { $0[...].fileName }
    if let name, let path { paths[name] = path }
    if let name, let id { ids[name] = id }
    if let id = id.map(Self.key), !id.isEmpty { byID[id] = (name, path) }
  }

  /// Adds another name that frames use for an image.
  mutating func add(alias: String, path: String?, id: String?) {
    if let path { paths[alias] = path }
    if let id { ids[alias] = id }
  }

  /// Adds the addresses of an image, for frames that only have an address.
  mutating func add(range: ClosedRange<UInt64>, path: String?, id: String?) {
    if let path { ranges.append((range, path, id)) }
  }

  mutating func sort() { ranges.sort { $0.range.lowerBound < $1.range.lowerBound } }

  private func image(at address: UInt64) -> (range: ClosedRange<UInt64>, path: String, id: String?)? {
    let next = ranges.firstPlace { $0.range.lowerBound > address }
    guard next > 0, ranges[next - 1].range.contains(address) else { return nil }
    return ranges[next - 1]
  }

  /// Returns the frame with the name and path that the list has for its image.
  func resolved(_ frame: StackFrame) -> StackFrame {
    var resolved = frame
    if frame.symbol == nil, frame.imageOffset == nil, let address = frame.address,
      let image = image(at: address), frame.image == nil || frame.image == image.path[...].fileName
    {
      resolved.image = image.path[...].fileName
      resolved.imagePath = frame.imagePath ?? image.path
      resolved.imageID = frame.imageID ?? image.id
      resolved.imageOffset = address - image.range.lowerBound
    }
    if frame.image == nil, let image = frame.imageID.flatMap({ byID[Self.key($0)] }) {
      resolved.image = image.name
      resolved.imagePath = image.path
    }
    if resolved.imageID == nil, let image = resolved.image { resolved.imageID = ids[image] }
    if resolved.imagePath == nil, let path = resolved.image.flatMap({ paths[$0] }) {
      resolved.imagePath = path
    }
    return resolved
  }

  private static func key(_ id: String) -> String { id.filter { $0 != "-" }.lowercased() }
}
