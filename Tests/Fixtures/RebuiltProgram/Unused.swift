import Foundation

/// Additional code of one build that is never called. It moves the code after it.
func neverCalled(_ numbers: [Int]) -> String {
  let timer = Timer(timeInterval: 1, repeats: false) { _ in print(numbers) }
  return numbers.map { $0 * 3 }.filter { $0 > 7 }.sorted { $0 > $1 }.description + "\(timer.isValid)"
}
