/// Describes Decodable types as TypeScript. It decodes each type without input, and notes the keys and types that the
/// type asks for.
package final class TypeScriptTypes {
  fileprivate struct Property {
    let name: String
    var type = ""
    var isOptional = false
  }

  private var names: [String] = []
  private var keys: [String: [Property]] = [:]

  package init() {}

  /// The structures that were described, each after those that it uses.
  package var text: String {
    names.map { name in
      let lines = keys[name, default: []].map { "  \($0.name)\($0.isOptional ? "?" : ""): \($0.type);\n" }
      return "export interface \(name) {\n\(lines.joined())}\n"
    }.joined(separator: "\n")
  }

  /// Returns the name of a type, and describes it and the types of its properties.
  @discardableResult
  package func describe<T: Decodable>(_ type: T.Type) throws -> String {
    if let value = try? TypeScriptTypes.value(of: type) { return value.name }
    let name = "\(type)".split { "<>".contains($0) }.joined(separator: "Of")
    if keys[name] != nil { return name }
    let probe = Probe(types: self)
    _ = try T(from: probe)
    if let other = probe.name { return other }
    keys[name] = probe.keys
    names.append(name)
    return name
  }

  private struct NotAValue: Error {}

  /// Returns the name of a type that is one value, and an example of it.
  fileprivate static func value<T>(of type: T.Type) throws -> (name: String, example: T) {
    func zero<Number: ExpressibleByIntegerLiteral>(_: Number.Type) -> Any { 0 as Number }
    func cases<Choice: CaseIterable>(_: Choice.Type) -> [Any] { Array(Choice.allCases) }
    let (name, example): (String, Any?) =
      switch type {
      case is Bool.Type: ("boolean", false)
      case is String.Type: ("string", "")
      case let number as any (Numeric & Decodable).Type: ("number", zero(number))
      case let choice as any (CaseIterable & RawRepresentable<String>).Type:
        (
          cases(choice).compactMap { ($0 as? any RawRepresentable<String>)?.rawValue }.map { "\"\($0)\"" }
            .joined(separator: " | "), cases(choice).first
        )
      default: throw NotAValue()
      }
    guard let example = example as? T else { throw NotAValue() }
    return (name, example)
  }

  /// Decodes one value without any input.
  fileprivate final class Probe: Decoder {
    let types: TypeScriptTypes
    let codingPath: [any CodingKey] = []
    let userInfo: [CodingUserInfoKey: Any] = [:]
    var keys: [Property] = []
    /// The name of a type that is not a structure.
    var name: String?

    init(types: TypeScriptTypes) { self.types = types }

    func container<K>(keyedBy type: K.Type) -> KeyedDecodingContainer<K> {
      KeyedDecodingContainer(Properties(probe: self))
    }
    func unkeyedContainer() -> any UnkeyedDecodingContainer { Elements(probe: self) }
    func singleValueContainer() -> any SingleValueDecodingContainer { Single(probe: self) }

    func example<T: Decodable>(_ type: T.Type) throws -> T {
      try (try? TypeScriptTypes.value(of: type))?.example ?? T(from: Probe(types: types))
    }
  }

  private struct Properties<K: CodingKey>: KeyedDecodingContainerProtocol {
    let probe: Probe
    var codingPath: [any CodingKey] { [] }
    /// Only a dictionary reads `allKeys`.
    var allKeys: [K] {
      probe.name = "{[name: string]: any}"
      return [K(stringValue: "name")].compactMap { $0 }
    }

    func contains(_ key: K) -> Bool { true }

    func decodeNil(forKey key: K) -> Bool {
      probe.keys.append(Property(name: key.stringValue, isOptional: true))
      return false
    }

    func decode<T: Decodable>(_ type: T.Type, forKey key: K) throws -> T {
      let name = try probe.types.describe(type)
      if probe.name != nil { probe.name = "{[name: string]: \(name)}" }
      if probe.keys.last?.name != key.stringValue { probe.keys.append(Property(name: key.stringValue)) }
      probe.keys[probe.keys.count - 1].type = name
      return try probe.example(type)
    }

    func nestedContainer<N>(keyedBy type: N.Type, forKey key: K) -> KeyedDecodingContainer<N> {
      probe.container(keyedBy: type)
    }
    func nestedUnkeyedContainer(forKey key: K) -> any UnkeyedDecodingContainer { probe.unkeyedContainer() }
    func superDecoder() -> any Decoder { probe }
    func superDecoder(forKey key: K) -> any Decoder { probe }
  }

  private struct Elements: UnkeyedDecodingContainer {
    let probe: Probe
    let codingPath: [any CodingKey] = []
    let count: Int? = 1
    var currentIndex = 0
    private var parts: [String] = []

    init(probe: Probe) { self.probe = probe }

    var isAtEnd: Bool { currentIndex > 0 }

    func decodeNil() -> Bool { false }

    mutating func decode<T: Decodable>(_ type: T.Type) throws -> T {
      currentIndex += 1
      parts.append(try probe.types.describe(type))
      // An array stops decoding after one element. A tuple decodes more.
      probe.name = parts.count > 1 ? "[\(parts.joined(separator: ", "))]" : "\(parts[0])[]"
      return try probe.example(type)
    }

    func nestedContainer<N>(keyedBy type: N.Type) -> KeyedDecodingContainer<N> {
      probe.container(keyedBy: type)
    }
    func nestedUnkeyedContainer() -> any UnkeyedDecodingContainer { probe.unkeyedContainer() }
    func superDecoder() -> any Decoder { probe }
  }

  private struct Single: SingleValueDecodingContainer {
    let probe: Probe
    let codingPath: [any CodingKey] = []

    func decodeNil() -> Bool { false }

    func decode<T: Decodable>(_ type: T.Type) throws -> T {
      probe.name = try probe.types.describe(type)
      return try probe.example(type)
    }
  }
}
