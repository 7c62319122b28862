/// Numbers for the code addresses of one trace: the same one for the same address, in order of first use, with room between
/// them for return addresses, whose names are those of the address before.
struct RedactedAddresses {
  private static let step: UInt64 = 16
  private var numberOfAddress: [UInt64: UInt64] = [:]

  /// 0 for addresses beyond the limit, and for 0 itself.
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
