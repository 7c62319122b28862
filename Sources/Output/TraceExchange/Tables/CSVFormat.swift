import ReportWriting
import TraceTables

extension ExportFormat {
  package static let csv = ExportFormat(
    name: "csv",
    about: [
      "Comma-separated values as defined by RFC 4180, UTF-8. An empty cell means that the recording does not contain the value.",
      "Control characters in names are replaced by U+FFFD. Some texts begin with an added ', so that no spreadsheet takes",
      "them for a formula: those whose first character after blanks is = + - or @, or its full-width form.",
    ],
    header: { names, bytes in CSV.row(names.map { .text($0) }, to: &bytes) },
    row: { cells, _, bytes in CSV.row(cells, to: &bytes) },
    form: { names in
      RowText.Form(
        before: names.indices.map { $0 == 0 ? [] : [UInt8(ascii: ",")] }, unknown: "", end: "\r\n",
        append: CSV.append)
    })
}
