/// Which images are an app's own: those that somebody named, else a guess.
public struct AppImages: Sendable {
  /// Whose a frame is.
  public enum Belonging: Sendable { case own, system, unknown }

  private let named: [Glob]
  private let main: String?

  /// `named`: names of files, `*` stands for any text; none = a guess, in which the program's `main` image, and what is
  /// none of the system's by folder, name or source, is the app's.
  public init(named: [String] = [], main: String? = nil) {
    self.named = named.map { Glob($0) }
    self.main = main
  }

  public var isGuess: Bool { named.isEmpty }

  func belonging(of compared: ComparedFrame) -> Belonging {
    let frame = compared.frame
    // Compiled into the app's image, and not of the app.
    if let file = frame.file, SystemImages.headers.anyMatches(file) { return .system }
    if !named.isEmpty {
      guard let image = frame.image else { return .unknown }
      return named.anyMatches(image) ? .own : .system
    }
    if frame.isMarkedSystem { return .system }
    if let file = frame.file, SystemImages.sources.contains(where: file.hasPrefix) { return .system }
    if let image = frame.image {
      if image == main { return .own }
      if let path = frame.imagePath, SystemImages.folders.contains(where: path.hasPrefix) { return .system }
      return SystemImages.names.anyMatches(image) ? .system : .own
    }
    guard let function = compared.function else { return .unknown }
    if let symbol = compared.symbol, SystemImages.functions.anyMatches(symbol) { return .system }
    return SystemImages.functions.anyMatches(function) ? .system : .own
  }
}

/// Functions that stand between a program's own and what it wants to do.
enum PlainFrames {
  /// What runs a loop: what called it is not what held it.
  private static let loops = [
    "CFRunLoopRun", "CFRunLoopRunSpecific*", "CFRunLoopRunInMode", "-[NSRunLoop(NSRunLoop) run*",
    "-[NSRunLoop run*", "RunLoop.run*", "UIApplicationMain", "NSApplicationMain", "GSEventRunModal",
    "-[UIApplication _run]", "-[NSApplication run]", "g_main_loop_run", "g_main_context_iteration",
    "g_application_run", "gtk_main", "uv_run", "dispatch_main", "QEventLoop::exec*",
    "QCoreApplication::exec*",
  ].map(Glob.init(function:))

  /// What the compiler puts in between, in a program's own image.
  private static let thunks = [
    "thunk for *", "reabstraction thunk*", "partial apply for thunk*", "@objc *", "protocol witness for *",
    "<signal handler called>",
  ].map(Glob.init(function:))

  static func runsLoop(_ frame: ComparedFrame) -> Bool { frame.function.map(loops.anyMatches) ?? false }
  static func isThunk(_ frame: ComparedFrame) -> Bool { frame.function.map(thunks.anyMatches) ?? false }
}
