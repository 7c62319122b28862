import RunLoopVocabulary

/// A field that may differ between two descriptions of an item. State that changes from moment to moment is left out:
/// whether the item is signalled or firing, and its next fire date.
package enum ItemField: String, Sendable, CaseIterable, Named {
  case order
  case valid
  case activities
  case repeats
  case interval = "interval_ns"
  case tolerance = "tolerance_ns"
  case callout
  /// The kind of the context.
  case context

  package var name: String { rawValue }

  package enum Value: Sendable, Equatable {
    case integer(Int64)
    case ns(UInt64)
    case truth(Bool)
    case activities(ActivityMask)
    case text(String)
  }

  package func value(of item: LoopItem) -> Value? {
    switch self {
    case .order: item.order.map(Value.integer)
    case .valid: item.isValid.map(Value.truth)
    case .activities: item.activities.map(Value.activities)
    case .repeats: item.repeats.map(Value.truth)
    case .interval: item.intervalNs.map(Value.ns)
    case .tolerance: item.toleranceNs.map(Value.ns)
    case .callout: item.callout?.name.map(Value.text)
    case .context: item.contextHead.map(Value.text)
    }
  }
}

extension LoopItem {
  /// The context with `0x` in place of each address, so that it is the same in another process.
  var contextWithoutAddresses: String? {
    context.map { Self.partsWithoutAddresses($0).joined(separator: "0x") }
  }

  /// The kind of the context: its text before the first address or brace.
  package var contextHead: String? {
    guard let context, let head = Self.partsWithoutAddresses(context).first else { return nil }
    return String(head.prefix { $0 != "{" })
  }

  private static func partsWithoutAddresses(_ text: String) -> [String] {
    var scanner = DumpScanner(quoted: Array(text.utf8), line: 1)
    var parts = [""]
    while !scanner.isAtEnd {
      let before = scanner.at
      _ = scanner.address()
      if scanner.at > before {
        parts.append("")
      } else {
        let isNoAddress = scanner.next == UInt8(ascii: "0") || scanner.next == UInt8(ascii: "(")
        parts[parts.count - 1] += isNoAddress ? scanner.text(1) : scanner.text(beforeAny: "0(")
      }
    }
    return parts
  }
}
