/// A library of the system whose functions are found at run time: a build needs no headers, and a program starts where
/// the library is missing.
package struct SystemLibrary {
  /// The library, or one of its functions, is missing.
  package struct Missing: Error {
    package init() {}
  }

  private let library: UnsafeMutableRawPointer

  /// Loads the first of these files that exists.
  package init(_ files: [String]) throws(Missing) {
    for file in files {
      guard let library = dlopen(file, RTLD_NOW | RTLD_LOCAL) else { continue }
      self.library = library
      return
    }
    throw Missing()
  }

  /// Returns a function, whose type must be right.
  package func function<Function>(_ name: String) throws(Missing) -> Function {
    guard let address = dlsym(library, name) else { throw Missing() }
    return unsafeBitCast(address, to: Function.self)
  }
}
