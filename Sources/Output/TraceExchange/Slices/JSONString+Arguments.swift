import TraceTables

extension JSONString {
  /// Appends the arguments as an object.
  static func append(_ arguments: [Argument], to bytes: inout [UInt8]) {
    bytes.append(UInt8(ascii: "{"))
    for (number, argument) in arguments.enumerated() {
      if number > 0 { bytes.append(UInt8(ascii: ",")) }
      append(argument.key, to: &bytes)
      bytes.append(UInt8(ascii: ":"))
      switch argument.value {
      case .integer(let value): bytes.appendDecimal(value)
      case .text(let text): append(text, to: &bytes)
      }
    }
    bytes.append(UInt8(ascii: "}"))
  }
}
