/// The name of the row for everything beyond a table's limit; for modes it is `ModeName.others`. A program may use
/// the same names, so rows are marked by `isRemainder`.
package enum Remainder {
  package static let rows = "(other)"
  package static let timers = "other"
}
