import SystemSupport

/// An entry of a definition block.
protocol DefinitionPayload: Equatable, Sendable {
  static var type: BlockType { get }
  /// The maximum number of entries per block.
  static var limit: Int { get }
  /// The reason why a reader would refuse the entry; nil if there is none.
  var excess: String? { get }
  func encode(into out: inout ByteWriter)
  init(_ reader: inout ByteReader) throws(PayloadError)
}

extension DefinitionPayload {
  var excess: String? { nil }

  static func encode(_ entries: [Self]) -> [UInt8] {
    var out = ByteWriter()
    for entry in entries { entry.encode(into: &out) }
    return out.bytes
  }

  /// Decodes the entries of a block. Calls `change` with each entry as soon as it is read.
  static func decode(
    _ payload: UnsafeRawBufferPointer, count: Int, change: (inout Self) -> Void = { _ in }
  ) throws(PayloadError) -> [Self] {
    guard count <= limit else { throw .limit("\(count) entries, the limit is \(limit)") }
    var reader = ByteReader(payload)
    var entries: [Self] = []
    entries.reserveCapacity(min(count, payload.count))
    for _ in 0..<count {
      var entry = try Self(&reader)
      change(&entry)
      entries.append(entry)
    }
    guard reader.remaining == 0 else { throw .malformed("\(reader.remaining) bytes after the last entry") }
    return entries
  }
}

/// A definition described by its fields. They determine its bytes in a block and its line in the text form.
protocol Definition: DefinitionPayload {
  static var blank: Self { get }
  static var fields: [DefinitionField<Self>] { get }
}

extension Definition {
  var excess: String? { Self.fields.lazy.compactMap { $0.excess(self) }.first }

  func encode(into out: inout ByteWriter) { for field in Self.fields { field.encode(self, &out) } }

  init(_ reader: inout ByteReader) throws(PayloadError) {
    self = .blank
    for field in Self.fields { try field.decode(&reader, &self) }
  }

  var line: String { Self.fields.map { $0.text(self) }.joined(separator: " ") }

  init(_ line: inout TextFields) throws(TraceFormatError) {
    self = .blank
    for field in Self.fields { try field.parse(&line, &self) }
  }
}

/// A field of a definition, with the conversions to and from both forms.
struct DefinitionField<Entry>: Sendable {
  let encode: @Sendable (Entry, inout ByteWriter) -> Void
  let decode: @Sendable (inout ByteReader, inout Entry) throws(PayloadError) -> Void
  let text: @Sendable (Entry) -> String
  let parse: @Sendable (inout TextFields, inout Entry) throws(TraceFormatError) -> Void
  var excess: @Sendable (Entry) -> String? = { _ in nil }

  /// A number as wide as its type, or a varint if `isVarint` is set; `limit` is inclusive. In the text form, its key
  /// precedes it if `hasKey` is set.
  static func number<T: FixedWidthInteger & Sendable>(
    _ path: WritableKeyPath<Entry, T> & Sendable, _ name: String, hasKey: Bool = false,
    isVarint: Bool = false,
    limit: T = .max
  ) -> DefinitionField {
    DefinitionField {
      if isVarint { $1.appendVarint(UInt64($0[keyPath: path])) } else { $1.appendInteger($0[keyPath: path]) }
    } decode: { (reader, entry) throws(PayloadError) in
      let value = isVarint ? try reader.varint() : UInt64(try reader.integer(T.self))
      guard value <= UInt64(limit) else { throw .limit("\(name) is \(value), the limit is \(limit)") }
      entry[keyPath: path] = T(value)
    } text: {
      (hasKey ? name + "=" : "") + "\($0[keyPath: path])"
    } parse: { (fields, entry) throws(TraceFormatError) in
      entry[keyPath: path] = hasKey ? try fields.number(name) : try fields.number(named: name)
    } excess: {
      $0[keyPath: path] > limit ? "\(name) \($0[keyPath: path]), the limit is \(limit)" : nil
    }
  }

  /// A byte that is 0 or 1, as a flag in the text form.
  static func flag(_ path: WritableKeyPath<Entry, Bool> & Sendable, _ key: String) -> DefinitionField {
    DefinitionField {
      $1.append($0[keyPath: path] ? 1 : 0)
    } decode: { (reader, entry) throws(PayloadError) in
      entry[keyPath: path] = try reader.integer(UInt8.self) != 0
    } text: {
      TextForm.flag(key, $0[keyPath: path])
    } parse: { (fields, entry) throws(TraceFormatError) in
      entry[keyPath: path] = try fields.flag(key)
    }
  }

  /// A string: its length, then UTF-8, cut between Unicode scalars when above the limit.
  static func string(_ path: WritableKeyPath<Entry, String> & Sendable) -> DefinitionField {
    DefinitionField {
      let utf8 = Array($0[keyPath: path].cut(toBytes: TraceLimits.stringBytes).utf8)
      $1.appendVarint(utf8.count)
      $1.append(contentsOf: utf8)
    } decode: { (reader, entry) throws(PayloadError) in
      let length = try reader.count(limit: TraceLimits.stringBytes, "bytes of a string")
      // Bytes that are not UTF-8 become U+FFFD, because names are for people.
      entry[keyPath: path] = String(decoding: try reader.take(length), as: UTF8.self)
    } text: {
      QuotedText.quote($0[keyPath: path])
    } parse: { (fields, entry) throws(TraceFormatError) in
      entry[keyPath: path] = try fields.quoted()
    }
  }
}

/// All types of definitions.
let definitionTypes: [any Definition.Type] = [
  StringDefinition.self, ThreadDefinition.self, ModeDefinition.self, SyncPoint.self, InfoEntry.self,
]

extension StringDefinition: Definition {
  static let type = BlockType.strings
  static let limit = TraceLimits.strings
  static let blank = StringDefinition(id: 0, text: "")
  static let fields: [DefinitionField<StringDefinition>] = [
    .number(\.id, "string id", isVarint: true, limit: UInt32(TraceLimits.strings)), .string(\.text),
  ]
}

extension ThreadDefinition: Definition {
  static let type = BlockType.threads
  static let limit = TraceLimits.threads
  static let blank = ThreadDefinition(index: 0, osThread: 0, isMain: false, name: "")
  static let fields: [DefinitionField<ThreadDefinition>] = [
    .number(\.index, "thread index", isVarint: true, limit: UInt32(clamping: TraceLimits.threads - 1)),
    .number(\.osThread, "os", hasKey: true, isVarint: true), .flag(\.isMain, "main"), .string(\.name),
  ]
}

extension ModeDefinition: Definition {
  static let type = BlockType.modes
  static let limit = TraceLimits.modes
  static let blank = ModeDefinition(id: 0, name: "")
  static let fields: [DefinitionField<ModeDefinition>] = [.number(\.id, "mode id"), .string(\.name)]
}

extension SyncPoint: Definition {
  static let type = BlockType.sync
  static let limit = TraceLimits.eventsPerBlock
  static let blank = SyncPoint(time: 0, monotonicNs: 0, boottimeNs: 0, realtimeNs: 0)
  static let fields: [DefinitionField<SyncPoint>] = [
    .number(\.time, "time"), .number(\.monotonicNs, "monotonic", hasKey: true),
    .number(\.boottimeNs, "boottime", hasKey: true), .number(\.realtimeNs, "realtime", hasKey: true),
  ]
}

extension InfoEntry: Definition {
  static let type = BlockType.info
  static let limit = TraceLimits.infoEntries
  static let blank = InfoEntry(key: "", value: "")
  static let fields: [DefinitionField<InfoEntry>] = [.string(\.key), .string(\.value)]
}
