/// What becomes of an argument, as the event table says it.
enum RedactedArgument {
  case kept
  /// An id of the string table; the string is renamed by this role.
  case string(role: String)
  /// Written as 0: where an image lies, or what else tells one program from another.
  case zero
  /// An id of the operating system: the number that the thread's definition has.
  case osThread
  /// A code address, which gets a number: an address of a stack keeps its names.
  case address

  /// Nil beyond what this version knows.
  init?(_ event: EventDefinition, _ position: Int) {
    guard let argument = event.argument(position) else { return nil }
    switch argument.unit {
    case .string where argument.name == "name":
      // "timer 1" for the name of a timer, "mark 1" for that of a mark, "site 1" for a site.
      self = .string(role: event.object.isEmpty ? event.name : event.object)
    case .string: self = .string(role: argument.name)
    // Of stacks and their names; where an image lies is no address of code.
    case .address: self = event.kind == .imageMap ? .zero : .address
    case .count where argument.name == "thread" || argument.name == "awaited_thread": self = .osThread
    // Of an image its size, of a function its line: they tell which one it is.
    case .count: self = event.role == .image ? .zero : .kept
    case .time, .nanoseconds, .signed, .mode, .object, .code: self = .kept
    }
  }
}
