/// What the row is called that all beyond a table's limit share; of modes, `ModeName.others`. Rows say so by
/// `isRemainder`: a program may have such names.
public enum Remainder {
  public static let rows = "(other)"
  public static let timers = "other"
}
