/// Assigns numbers to the code addresses of one trace: equal addresses get the same number, in order of first use.
/// The gaps between numbers leave room for return addresses, which have the names of the address just before them.
struct RedactedAddresses {
  private static let step: UInt64 = 16
  private var numberOfAddress: [UInt64: UInt64] = [:]

  /// Returns the number of an address; 0 for 0 and for addresses beyond the limit.
  mutating func number(_ address: UInt64, isReturn: Bool) -> UInt64 {
    guard address != 0 else { return 0 }
    let lookup = (isReturn ? StackAddress(returnAddress: address) : StackAddress(exact: address)).lookup
    guard let number = numberOfAddress[lookup] ?? next else { return 0 }
    numberOfAddress[lookup] = number
    return isReturn ? number + 1 : number
  }

  private var next: UInt64? {
    let count = numberOfAddress.count
    return count < ReadingLimits.addresses ? UInt64(count + 1) * RedactedAddresses.step : nil
  }
}
