import TraceAnalysis
import TraceTables

/// The form that tables are written in.
public struct ExportFormat: Sendable {
  public let name: String
  /// For the data dictionary.
  let about: [String]
  /// Names of those that it is for; nil = all.
  public var tables: [String]?
  /// The name of a table's file.
  public func file(of table: ExportTable) -> String { "\(table.name).\(name)" }
  /// What stands before the rows.
  let header: @Sendable (_ names: [String], inout [UInt8]) -> Void
  let row: @Sendable (_ cells: [Value], _ names: [String], inout [UInt8]) -> Void
}

extension ExportFormat: Named {
  public static let allCases = [csv, jsonLines, collapsed]
}

extension Array {
  /// What `body` appends for each, with something between them.
  func append(_ separator: Unicode.Scalar, to bytes: inout [UInt8], _ body: (Element, inout [UInt8]) -> Void)
  {
    for (number, element) in enumerated() {
      if number > 0 { bytes.append(UInt8(ascii: separator)) }
      body(element, &bytes)
    }
  }
}
