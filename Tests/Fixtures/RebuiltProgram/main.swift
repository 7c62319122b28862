import Foundation

// Recorded in two builds, which compare must find to be the same: see tools/compare-builds.
let feed = Feed()
feed.start()
Network.listen()
RunLoop.main.run(until: Date(timeIntervalSinceNow: 2))
