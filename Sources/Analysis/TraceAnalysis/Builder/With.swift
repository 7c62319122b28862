/// Returns the value after `fill` changed it. Used to fill new, empty values.
func with<Value>(_ value: Value, _ fill: (inout Value) -> Void) -> Value {
  var value = value
  fill(&value)
  return value
}
