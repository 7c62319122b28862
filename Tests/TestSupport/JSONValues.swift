import Foundation

/// A JSON document that is read by paths such as `timers[0].lateness_ns.p99`. A dot may replace the brackets.
package struct JSONValues {
  package let root: [String: Any]

  package struct NoObject: Error {}

  package init(_ text: String) throws {
    guard let root = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any] else {
      throw NoObject()
    }
    self.root = root
  }

  package func list(_ key: String) -> [[String: Any]] { root[key] as? [[String: Any]] ?? [] }

  /// Returns the value at the path, or nil when the document has none there.
  package func value(_ path: String, below object: Any? = nil) -> Any? {
    path.split(whereSeparator: { ".[]".contains($0) }).reduce((object ?? root) as Any?) { value, key in
      if let index = Int(key), let list = value as? [Any] {
        return list.indices.contains(index) ? list[index] : nil
      }
      return (value as? [String: Any])?[String(key)]
    }
  }

  /// Returns the value as a table cell shows it; nil for null.
  package func text(_ path: String, below object: Any? = nil) -> String? {
    switch value(path, below: object) {
    case nil, is NSNull: nil
    case let list as [String]: list.joined(separator: ", ")
    // JSON's true and false, which Foundation decodes as numbers.
    case let number as NSNumber where String(cString: number.objCType) == "c":
      number.boolValue ? "true" : "false"
    case let value?: "\(value)"
    }
  }
}
