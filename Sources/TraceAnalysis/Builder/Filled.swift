/// A value that was made empty, filled.
func filled<Value>(_ value: Value, _ fill: (inout Value) -> Void) -> Value {
  var value = value
  fill(&value)
  return value
}
