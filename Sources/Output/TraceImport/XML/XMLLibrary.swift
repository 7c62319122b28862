import Foundation

/// The functions of the system's libxml2 that an import calls. They are found at run time: a build needs no headers,
/// and the installed tool starts where the library is missing.
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

  /// Loads the library; nil if the system has none.
  static let shared: XMLLibrary? = {
    for name in names {
      if let library = dlopen(name, RTLD_NOW | RTLD_LOCAL) { return XMLLibrary(library) }
    }
    return nil
  }()

  private init?(_ library: UnsafeMutableRawPointer) {
    func find<Function>(_ name: String, _ type: Function.Type) -> Function? {
      dlsym(library, name).map { unsafeBitCast($0, to: type) }
    }
    guard let open = find("xmlReaderForIO", Open.self),
      let free = find("xmlFreeTextReader", Free.self),
      let setReport = find("xmlTextReaderSetErrorHandler", SetReport.self),
      let read = find("xmlTextReaderRead", Step.self),
      let nodeType = find("xmlTextReaderNodeType", Step.self),
      let isEmpty = find("xmlTextReaderIsEmptyElement", Step.self),
      let nextAttribute = find("xmlTextReaderMoveToNextAttribute", Step.self),
      let backToElement = find("xmlTextReaderMoveToElement", Step.self),
      let line = find("xmlTextReaderGetParserLineNumber", Step.self),
      let column = find("xmlTextReaderGetParserColumnNumber", Step.self),
      let name = find("xmlTextReaderConstName", Word.self),
      let value = find("xmlTextReaderConstValue", Word.self)
    else { return nil }
    (self.open, self.free, self.setReport, self.read) = (open, free, setReport, read)
    (self.nodeType, self.isEmpty, self.nextAttribute) = (nodeType, isEmpty, nextAttribute)
    (self.backToElement, self.line, self.column) = (backToElement, line, column)
    (self.name, self.value) = (name, value)
  }
}

extension ImportError {
  /// Why nothing can be imported on this system; nil = it can.
  package static var obstacle: ImportError? { XMLLibrary.shared == nil ? .missingLibrary : nil }
}
