import SystemSupport

/// The functions of the system's libxml2 that an import calls.
///
/// Source: https://gnome.pages.gitlab.gnome.org/libxml2/html/xmlreader_8h.html.
struct XMLLibrary: @unchecked Sendable {
  typealias Reader = OpaquePointer
  typealias Text = UnsafePointer<UInt8>
  typealias Read = @convention(c) (UnsafeMutableRawPointer?, UnsafeMutablePointer<CChar>?, Int32) -> Int32
  typealias Close = @convention(c) (UnsafeMutableRawPointer?) -> Int32
  typealias Open =
    @convention(c) (
      Read?, Close?, UnsafeMutableRawPointer?, UnsafePointer<CChar>?, UnsafePointer<CChar>?, Int32
    ) -> Reader?
  typealias Step = @convention(c) (Reader?) -> Int32
  typealias Word = @convention(c) (Reader?) -> Text?
  typealias Free = @convention(c) (Reader?) -> Void
  typealias Report =
    @convention(c) (UnsafeMutableRawPointer?, UnsafePointer<CChar>?, Int32, UnsafeMutableRawPointer?) -> Void
  typealias SetReport = @convention(c) (Reader?, Report?, UnsafeMutableRawPointer?) -> Void

  let open: Open
  let free: Free
  let setReport: SetReport
  let read: Step
  let nodeType: Step
  let isEmpty: Step
  let nextAttribute: Step
  let backToElement: Step
  let line: Step
  let column: Step
  let name: Word
  let value: Word

  /// No network access.
  static let options: Int32 = 1 << 11
  /// The severity of a warning.
  static let warnings: Set<Int32> = [1, 3]

  private static let names = ["libxml2.so.2", "libxml2.so.16", "libxml2.so", "libxml2.2.dylib"]

  /// Nil if the system has no such library.
  static let shared: XMLLibrary? = try? XMLLibrary(SystemLibrary(names))

  private init(_ library: SystemLibrary) throws(SystemLibrary.Missing) {
    open = try library.function("xmlReaderForIO")
    free = try library.function("xmlFreeTextReader")
    setReport = try library.function("xmlTextReaderSetErrorHandler")
    read = try library.function("xmlTextReaderRead")
    nodeType = try library.function("xmlTextReaderNodeType")
    isEmpty = try library.function("xmlTextReaderIsEmptyElement")
    nextAttribute = try library.function("xmlTextReaderMoveToNextAttribute")
    backToElement = try library.function("xmlTextReaderMoveToElement")
    line = try library.function("xmlTextReaderGetParserLineNumber")
    column = try library.function("xmlTextReaderGetParserColumnNumber")
    name = try library.function("xmlTextReaderConstName")
    value = try library.function("xmlTextReaderConstValue")
  }
}

extension ImportError {
  /// Why nothing can be imported on this system; nil = it can.
  package static var obstacle: ImportError? { XMLLibrary.shared == nil ? .missingLibrary : nil }
}
