import Foundation

// Recorded in two builds, which `compare` must find to be the same (see tools/compare-builds). The start-up time
// differs between two runs, so all times are relative to a moment after it.
let start = Date(timeIntervalSinceNow: 0.2)
let feed = Feed(start: start)
feed.go()
Network.listen(start: start)
RunLoop.main.run(until: start + 1.995)
