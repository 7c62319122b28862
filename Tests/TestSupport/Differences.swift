/// Returns a readable description of the first difference between two lists; nil when they are equal.
@inlinable package func firstDifference<Element: Equatable>(_ found: [Element], _ expected: [Element])
  -> String?
{
  if found == expected { return nil }
  for (i, pair) in zip(found, expected).enumerated() where pair.0 != pair.1 {
    return "number \(i) is \(pair.0), expected \(pair.1), after \(found[..<i].suffix(12))"
  }
  return "\(found.count) elements, expected \(expected.count)"
}
