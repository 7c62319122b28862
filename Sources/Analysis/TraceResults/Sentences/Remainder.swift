/// The name of the row for everything beyond a table's limit; for modes it is `ModeName.others`. A program may use
/// the same names, so rows are marked by `isRemainder`.
public enum Remainder {
  public static let rows = "(other)"
  public static let timers = "other"
}
