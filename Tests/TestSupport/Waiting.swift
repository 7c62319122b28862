import Foundation

/// Waits for a condition. Returns whether it became true in time.
package func isEventuallyTrue(withinS seconds: Int, _ condition: () -> Bool) -> Bool {
  for _ in 0..<seconds * 1000 where !condition() { usleep(1000) }
  return condition()
}
