import CheckedYAML
import Yams

/// The written form of a scenario, or of one kind of its items, for reading and writing: its keys, each with the
/// property that holds the value. Scaling and the inner steps derive from it.
struct ItemForm<Item: Sendable>: Sendable {
  /// The kind of item, for messages.
  private let what: String
  private let empty: Item
  private let fields: [ItemField<Item>]

  init(_ what: String, _ empty: Item, _ fields: [ItemField<Item>]) {
    self.what = what
    self.empty = empty
    self.fields = fields
  }

  /// A list of items of this kind, as the value of a key.
  var list: FormValue<[Item]> { .list(value) }

  var value: FormValue<Item> {
    FormValue(
      read: { (reader, node) throws(TextFileError) in try read(&reader, node) }, write: node,
      scaled: scaled, steps: steps)
  }

  func read(_ reader: inout ScenarioReader, _ node: Node) throws(TextFileError) -> Item {
    var keys = try reader.fields(node, what)
    var item = empty
    for field in fields { try field.read(&reader, &keys, &item) }
    try keys.end()
    return item
  }

  @Sendable func node(_ item: Item) -> Node { ScenarioWriter.mapping(fields.flatMap { $0.parts(item) }) }

  @Sendable func scaled(_ item: Item, _ factor: Double) -> Item {
    fields.reduce(into: item) { item, field in field.scale(&item, factor) }
  }

  /// Returns the item's own steps, without those inside them.
  @Sendable func steps(_ item: Item) -> [Scenario.Step] {
    fields.flatMap { $0.parts(item) }.flatMap(\.steps)
  }
}

/// One or more keys of an item.
struct ItemField<Item: Sendable>: Sendable {
  let read: @Sendable (inout ScenarioReader, inout Fields, inout Item) throws(TextFileError) -> Void
  let parts: @Sendable (Item) -> [FormPart]
  let scale: @Sendable (inout Item, _ factor: Double) -> Void

  /// A single key. `absent`: the value that applies without the key, which is not written; nil = the key is required.
  init<Value: Equatable>(
    _ key: String, _ path: WritableKeyPath<Item, Value> & Sendable, _ value: FormValue<Value>,
    absent: Value? = nil
  ) {
    let field = FormField(key, value, absent: absent)
    self.init([field], [path]) { (reader, fields, item) throws(TextFileError) in
      item[keyPath: path] = try field.read(&reader, &fields)
    }
  }

  /// Keys that depend on each other.
  init<Value: Equatable>(
    _ fields: [FormField<Value>], _ paths: [WritableKeyPath<Item, Value> & Sendable],
    read: @escaping @Sendable (inout ScenarioReader, inout Fields, inout Item) throws(TextFileError) -> Void
  ) {
    self.read = read
    parts = { item in zip(fields, paths).map { $0.part(item[keyPath: $1]) } }
    scale = { item, factor in
      for (field, path) in zip(fields, paths) {
        item[keyPath: path] = field.value.scaled(item[keyPath: path], factor)
      }
    }
  }
}
