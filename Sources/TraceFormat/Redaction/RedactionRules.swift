/// What becomes of an argument.
enum RedactedArgument {
  case kept
  /// An id of the string table; the string is renamed by this role.
  case string(role: String)
  /// Written as 0: where an image lies, or what else tells one program from another.
  case zero
  /// A code address, which gets a number: an address of a stack keeps its names.
  case address
}

/// What becomes of the arguments of each kind, as the event table says it; nil for kinds that are not in it.
struct RedactionRules {
  struct Kind {
    let arguments: [RedactedArgument]
    let isVariadic: Bool

    /// Nil beyond what this version knows.
    subscript(position: Int) -> RedactedArgument? {
      position < arguments.count ? arguments[position] : isVariadic ? arguments.last : nil
    }
  }

  private let kinds: [Kind?]

  init() {
    kinds = (0...UInt8.max).map { code in
      EventTable.definition(of: EventKind(code)).map { definition in
        Kind(
          arguments: definition.arguments.map { RedactionRules.rule($0, of: definition) },
          isVariadic: definition.isVariadic)
      }
    }
  }

  subscript(kind: UInt8) -> Kind? { kinds[Int(kind)] }

  private static func rule(_ argument: ArgumentDefinition, of event: EventDefinition) -> RedactedArgument {
    switch argument.unit {
    case .string:
      // "timer 1" for the name of a timer, "mark 1" for that of a mark, "site 1" for a site.
      guard argument.name == "name" else { return .string(role: argument.name) }
      return .string(role: event.object.isEmpty ? event.name : event.object)
    // Of stacks and their names; where an image lies is no address of code.
    case .address: return event.kind == .imageMap ? .zero : .address
    // Of an image its size, of a function its line: they tell which one it is.
    case .count: return event.role == .image ? .zero : .kept
    case .time, .nanoseconds, .signed, .mode, .object, .code: return .kept
    }
  }
}
