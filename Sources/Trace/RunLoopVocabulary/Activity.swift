/// The moments at which a run loop calls its observers. The raw values are the bits of CFRunLoopActivity.
@usableFromInline package enum Activity: UInt, Named, Sendable {
  case entry = 1
  case beforeTimers = 2
  case beforeSources = 4
  case beforeWaiting = 32
  case afterWaiting = 64
  case exit = 128

  /// The name in CoreFoundation, without the prefix.
  package var name: String {
    switch self {
    case .entry: "Entry"
    case .beforeTimers: "BeforeTimers"
    case .beforeSources: "BeforeSources"
    case .beforeWaiting: "BeforeWaiting"
    case .afterWaiting: "AfterWaiting"
    case .exit: "Exit"
    }
  }
}
