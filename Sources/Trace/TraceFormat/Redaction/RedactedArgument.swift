/// The redaction of an argument, according to the event table.
enum RedactedArgument {
  case kept
  /// An id of the string table. The string gets a new name for this role.
  case string(role: String)
  /// Written as 0: the load address of an image, or anything else that identifies a program.
  case zero
  /// A thread id of the operating system, replaced by the number in the thread's definition.
  case osThread
  /// A code address, replaced by a number. So an address of a stack keeps its names.
  case address

  /// Nil for arguments that this version does not know.
  init?(_ event: EventDefinition, _ position: Int) {
    guard let argument = event.argument(position) else { return nil }
    switch argument.unit {
    case .string where argument.name == "name":
      // "timer 1" for the name of a timer, "mark 1" for that of a mark, "site 1" for a site.
      self = .string(role: event.object.isEmpty ? event.name : event.object)
    case .string: self = .string(role: argument.name)
    // Addresses of stacks and of their names are code addresses; the load address of an image is not.
    case .address: self = event.kind == .imageMap ? .zero : .address
    case .count where ["thread", "awaited_thread", "holder"].contains(argument.name): self = .osThread
    // The size of an image and the line of a function would identify them.
    case .count: self = event.role == .image ? .zero : .kept
    case .time, .nanoseconds, .signed, .mode, .object, .code: self = .kept
    }
  }
}
