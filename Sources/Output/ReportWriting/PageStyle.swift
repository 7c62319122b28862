import EmbeddedFiles

/// The style of pages.
package enum PageStyle {
  /// The style that all pages share.
  package static let common = EmbeddedFile.text("report.css")
}
