import CheckedYAML

/// A key and its kind of value.
struct FormField<Value: Equatable & Sendable>: Sendable {
  let key: String
  let value: FormValue<Value>
  /// The value that applies when the key is absent; it is not written. Nil = the key is required.
  let absent: Value?

  init(_ key: String, _ value: FormValue<Value>, absent: Value? = nil) {
    self.key = key
    self.value = value
    self.absent = absent
  }

  func part(_ value: Value) -> FormPart {
    var part = self.value.part(value, key: key)
    if value == absent { part.node = nil }
    return part
  }

  func read(_ reader: inout ScenarioReader, _ fields: inout Fields) throws(TextFileError) -> Value {
    guard let absent else { return try value.read(&reader, fields.required(key)) }
    guard let node = fields.take(key) else { return absent }
    return try value.read(&reader, node)
  }
}
