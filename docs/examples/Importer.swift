import Foundation

// A clock is drawn 50 times a second. An importer reads 20 files, one after the other.

func drawClock() { Thread.sleep(forTimeInterval: 0.001) }

func importFile(_ number: Int) { Thread.sleep(forTimeInterval: 0.12) }

#if FIXED
func importFiles() {
  for number in 0..<20 { DispatchQueue.global().async { importFile(number) } }
}
#else
func importFiles() {
  for number in 0..<20 { DispatchQueue.main.async { importFile(number) } }
}
#endif

_ = Timer.scheduledTimer(withTimeInterval: 0.02, repeats: true) { _ in drawClock() }
_ = Timer.scheduledTimer(withTimeInterval: 0.5, repeats: false) { _ in importFiles() }
RunLoop.main.run(until: Date(timeIntervalSinceNow: 4))
