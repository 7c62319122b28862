import XCTest

@testable import Feed

final class FeedTests: XCTestCase {
  func testTheFeedLoads() {
    let feed = Feed()
    let loaded = expectation(description: "loaded")
    feed.load { loaded.fulfill() }
    wait(for: [loaded], timeout: 5)
    XCTAssertEqual(feed.items.count, 2)
  }
}
