import TraceTables

extension JSONString {
  /// Appends the arguments as an object.
  static func append(_ arguments: [Argument], to bytes: inout [UInt8]) {
    bytes += "{".utf8
    for (number, argument) in arguments.enumerated() {
      if number > 0 { bytes += ",".utf8 }
      append(argument.key, to: &bytes)
      bytes += ":".utf8
      switch argument.value {
      case .integer(let value): bytes += String(value).utf8
      case .text(let text): append(text, to: &bytes)
      }
    }
    bytes += "}".utf8
  }
}
