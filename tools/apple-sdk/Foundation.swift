// Stub of Foundation: the declarations that rltrace and its packages use, with the signatures of Apple's SDK. Bodies are
// empty.
@_exported import CoreFoundation
@_exported import Darwin
@_exported import Dispatch

public typealias TimeInterval = Double

// MARK: Values

public protocol ParseStrategy: Sendable {
  associatedtype ParseInput
  associatedtype ParseOutput
  func parse(_ value: ParseInput) throws -> ParseOutput
}

public struct Date: Hashable, Comparable, Sendable, Codable {
  public static let distantPast = Date()
  public static var now: Date { Date() }
  public init() {}
  public init(timeIntervalSinceNow: TimeInterval) {}
  public init(timeIntervalSince1970: TimeInterval) {}
  public init(timeIntervalSinceReferenceDate: TimeInterval) {}
  public init(timeInterval: TimeInterval, since: Date) {}
  public var timeIntervalSince1970: TimeInterval { 0 }
  public var timeIntervalSinceNow: TimeInterval { 0 }
  public var timeIntervalSinceReferenceDate: TimeInterval { 0 }
  public func timeIntervalSince(_ other: Date) -> TimeInterval { 0 }
  public func addingTimeInterval(_ interval: TimeInterval) -> Date { self }
  public static func < (a: Date, b: Date) -> Bool { false }
  public static func + (a: Date, b: TimeInterval) -> Date { a }
  public struct ISO8601FormatStyle: Sendable, ParseStrategy {
    public init(includingFractionalSeconds: Bool = false) {}
    public func parse(_ text: String) throws -> Date { Date() }
  }
  public init<T: ParseStrategy>(_ text: T.ParseInput, strategy: T) throws where T.ParseOutput == Date {}
  public func ISO8601Format(_ style: ISO8601FormatStyle = ISO8601FormatStyle()) -> String { "" }
}

public struct UUID: Hashable, Sendable, CustomStringConvertible, Codable {
  public init() {}
  public init?(uuidString: String) {}
  public var uuidString: String { "" }
  public var description: String { "" }
}

public struct Data: Hashable, Sendable, RandomAccessCollection, MutableCollection, RangeReplaceableCollection,
  Codable
{
  public struct Base64EncodingOptions: OptionSet, Sendable {
    public let rawValue: UInt
    public init(rawValue: UInt) { self.rawValue = rawValue }
  }
  public struct Base64DecodingOptions: OptionSet, Sendable {
    public let rawValue: UInt
    public init(rawValue: UInt) { self.rawValue = rawValue }
    public static let ignoreUnknownCharacters = Base64DecodingOptions(rawValue: 1)
  }
  public struct WritingOptions: OptionSet, Sendable {
    public let rawValue: UInt
    public init(rawValue: UInt) { self.rawValue = rawValue }
    public static let atomic = WritingOptions(rawValue: 1)
  }
  private var bytes: [UInt8] = []
  public init() {}
  public init(contentsOf url: URL) throws {}
  public init?(base64Encoded: String, options: Base64DecodingOptions = []) {}
  public init(bytes: UnsafeRawPointer, count: Int) {}
  public func base64EncodedString(options: Base64EncodingOptions = []) -> String { "" }
  public func write(to url: URL, options: WritingOptions = []) throws {}
  public func withUnsafeBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R {
    try bytes.withUnsafeBytes(body)
  }
  public var startIndex: Int { bytes.startIndex }
  public var endIndex: Int { bytes.endIndex }
  public subscript(place: Int) -> UInt8 {
    get { bytes[place] }
    set { bytes[place] = newValue }
  }
  public subscript(range: Range<Int>) -> Data {
    get { self }
    set {}
  }
  public mutating func replaceSubrange<C: Collection>(_ range: Range<Int>, with other: C)
  where C.Element == UInt8 {}
}

public struct URL: Hashable, Sendable, CustomStringConvertible, Codable {
  public init(fileURLWithPath: String) {}
  public init(fileURLWithPath: String, isDirectory: Bool) {}
  public init?(string: String) {}
  public var path: String { "" }
  public var absoluteString: String { "" }
  public var description: String { "" }
  public var lastPathComponent: String { "" }
  public var standardizedFileURL: URL { self }
  public func appendingPathComponent(_ name: String) -> URL { self }
  public func deletingLastPathComponent() -> URL { self }
  public mutating func setResourceValues(_ values: URLResourceValues) throws {}
}

public struct CharacterSet: Hashable, Sendable {
  public init() {}
  public init(charactersIn: String) {}
  public static let whitespaces = CharacterSet()
  public static let newlines = CharacterSet()
  public static let whitespacesAndNewlines = CharacterSet()
  public static let alphanumerics = CharacterSet()
  public static let decimalDigits = CharacterSet()
  public static let lowercaseLetters = CharacterSet()
  public static let uppercaseLetters = CharacterSet()
  public func contains(_ member: Unicode.Scalar) -> Bool { false }
  public init(charactersIn: ClosedRange<Unicode.Scalar>) {}
  public func intersection(_ other: CharacterSet) -> CharacterSet { self }
  public func union(_ other: CharacterSet) -> CharacterSet { self }
  public mutating func insert(charactersIn: String) {}
  public func isSuperset(of other: CharacterSet) -> Bool { true }
}

public struct Decimal: Hashable, Comparable, Sendable, CustomStringConvertible, Codable, SignedNumeric {
  public typealias Magnitude = Decimal
  public init() {}
  public init(_ value: Double) {}
  public init(_ value: Int) {}
  public init?(string: String, locale: Locale? = nil) {}
  public init?<T: BinaryInteger>(exactly source: T) {}
  public init(integerLiteral value: Int) {}
  public var magnitude: Decimal { self }
  public var description: String { "" }
  public static func < (a: Decimal, b: Decimal) -> Bool { false }
  public static func + (a: Decimal, b: Decimal) -> Decimal { a }
  public static func - (a: Decimal, b: Decimal) -> Decimal { a }
  public static func * (a: Decimal, b: Decimal) -> Decimal { a }
  public static func *= (a: inout Decimal, b: Decimal) {}
}

public struct Locale: Hashable, Sendable {
  public init(identifier: String) {}
  public static var current: Locale { Locale(identifier: "") }
}

public struct TimeZone: Hashable, Sendable {
  public init?(secondsFromGMT: Int) {}
  public init?(identifier: String) {}
  public init?(abbreviation: String) {}
  public static var current: TimeZone { TimeZone(secondsFromGMT: 0)! }
  public func secondsFromGMT(for date: Date = Date()) -> Int { 0 }
}

public struct DateComponents: Hashable, Sendable {
  public var calendar: Calendar?
  public var timeZone: TimeZone?
  public var year: Int?, month: Int?, day: Int?, hour: Int?, minute: Int?, second: Int?, nanosecond: Int?
  public init(
    calendar: Calendar? = nil, timeZone: TimeZone? = nil, year: Int? = nil, month: Int? = nil,
    day: Int? = nil,
    hour: Int? = nil, minute: Int? = nil, second: Int? = nil, nanosecond: Int? = nil
  ) {}
  public var date: Date? { nil }
}

public struct Calendar: Hashable, Sendable {
  public enum Identifier: Sendable { case gregorian, iso8601 }
  public enum Component: Sendable { case year, month, day, hour, minute, second, nanosecond }
  public var timeZone: TimeZone {
    get { .current }
    set {}
  }
  public init(identifier: Identifier) {}
  public static var current: Calendar { Calendar(identifier: .gregorian) }
  public func date(from components: DateComponents) -> Date? { nil }
  public func component(_ component: Component, from date: Date) -> Int { 0 }
}

// MARK: Objects

open class NSObject: Hashable, CustomStringConvertible {
  public init() {}
  open var description: String { "" }
  public static func == (a: NSObject, b: NSObject) -> Bool { a === b }
  public func hash(into hasher: inout Hasher) {}
}

open class NSNull: NSObject {}
open class NSNumber: NSObject {
  public init(value: Double) {}
  public init(value: Int) {}
  open var intValue: Int { 0 }
}
open class NSString: NSObject {}
open class NSArray: NSObject, Sequence {
  public func makeIterator() -> AnyIterator<Any> { AnyIterator { nil } }
}
open class NSMutableArray: NSArray {
  open func add(_ object: Any) {}
}
open class NSDictionary: NSObject, Sequence {
  public func makeIterator() -> AnyIterator<(key: Any, value: Any)> { AnyIterator { nil } }
}
open class NSMutableDictionary: NSDictionary {}
open class NSMutableSet: NSObject {
  open func add(_ object: Any) {}
}
open class NSError: NSObject, Error, @unchecked Sendable {
  open var domain: String { "" }
  open var code: Int { 0 }
  open var localizedDescription: String { "" }
}
extension Error { public var localizedDescription: String { "" } }
public protocol LocalizedError: Error {
  var errorDescription: String? { get }
}
extension LocalizedError {
  public var errorDescription: String? { nil }
}

public protocol NSLocking { func lock(); func unlock() }
open class NSLock: NSObject, NSLocking, @unchecked Sendable {
  open func lock() {}
  open func unlock() {}
  open func `try`() -> Bool { true }
}
extension NSLocking {
  public func withLock<R>(_ body: () throws -> R) rethrows -> R { try body() }
}
open class NSCondition: NSObject, NSLocking, @unchecked Sendable {
  open func lock() {}
  open func unlock() {}
  open func wait() {}
  open func wait(until: Date) -> Bool { true }
  open func signal() {}
  open func broadcast() {}
}

open class Thread: NSObject, @unchecked Sendable {
  public override init() {}
  public convenience init(block: @escaping @Sendable () -> Void) { self.init() }
  open class var current: Thread { Thread() }
  open class var main: Thread { Thread() }
  open class var isMainThread: Bool { true }
  open class func sleep(forTimeInterval: TimeInterval) {}
  open class func detachNewThread(_ block: @escaping @Sendable () -> Void) {}
  open var name: String?
  open var isMainThread: Bool { true }
  open func start() {}
  open func cancel() {}
}

open class ProcessInfo: NSObject, @unchecked Sendable {
  open class var processInfo: ProcessInfo { ProcessInfo() }
  open var environment: [String: String] { [:] }
  open var arguments: [String] { [] }
  open var processIdentifier: Int32 { 0 }
  open var processName: String { "" }
  open var activeProcessorCount: Int { 1 }
}

public struct FileAttributeKey: Hashable, Sendable, RawRepresentable {
  public let rawValue: String
  public init(rawValue: String) { self.rawValue = rawValue }
  public static let size = FileAttributeKey(rawValue: "size")
  public static let protectionKey = FileAttributeKey(rawValue: "protectionKey")
}

public struct FileProtectionType: Hashable, Sendable, RawRepresentable {
  public let rawValue: String
  public init(rawValue: String) { self.rawValue = rawValue }
  public static let completeUntilFirstUserAuthentication = FileProtectionType(rawValue: "")
}
public struct URLResourceValues: Sendable {
  public init() {}
  public var isExcludedFromBackup: Bool? {
    get { nil }
    set {}
  }
}
open class FileManager: NSObject, @unchecked Sendable {
  public enum SearchPathDirectory: Sendable { case cachesDirectory, documentDirectory }
  public struct SearchPathDomainMask: OptionSet, Sendable {
    public let rawValue: UInt
    public init(rawValue: UInt) { self.rawValue = rawValue }
    public static let userDomainMask = SearchPathDomainMask(rawValue: 1)
  }
  open class var `default`: FileManager { FileManager() }
  open var currentDirectoryPath: String { "" }
  open var temporaryDirectory: URL { URL(fileURLWithPath: "") }
  open func urls(for: SearchPathDirectory, in: SearchPathDomainMask) -> [URL] { [] }
  open func fileExists(atPath: String) -> Bool { false }
  open func fileExists(atPath: String, isDirectory: UnsafeMutablePointer<ObjCBool>?) -> Bool { false }
  open func contents(atPath: String) -> Data? { nil }
  open func subpathsOfDirectory(atPath: String) throws -> [String] { [] }
  open func createDirectory(
    atPath: String, withIntermediateDirectories: Bool, attributes: [FileAttributeKey: Any]? = nil
  ) throws {}
  open func createDirectory(
    at: URL, withIntermediateDirectories: Bool, attributes: [FileAttributeKey: Any]? = nil
  ) throws {}
  open func removeItem(atPath: String) throws {}
  open func removeItem(at: URL) throws {}
}
public struct ObjCBool: Sendable, ExpressibleByBooleanLiteral {
  public init(_ value: Bool) {}
  public init(booleanLiteral value: Bool) {}
  public var boolValue: Bool { true }
}

open class FileHandle: NSObject, @unchecked Sendable {
  open class var standardInput: FileHandle { FileHandle() }
  open class var standardOutput: FileHandle { FileHandle() }
  open class var standardError: FileHandle { FileHandle() }
  public convenience init?(forReadingAtPath: String) { self.init() }
  public convenience init?(forWritingAtPath: String) { self.init() }
  open var fileDescriptor: Int32 { 0 }
  open func readDataToEndOfFile() -> Data { Data() }
  open func readToEnd() throws -> Data? { nil }
  open func read(upToCount: Int) throws -> Data? { nil }
  open func write(_ data: Data) {}
  open func close() throws {}
}

open class Bundle: NSObject, @unchecked Sendable {
  open class var main: Bundle { Bundle() }
}

public protocol DecodableWithConfiguration {
  associatedtype DecodingConfiguration
  init(from decoder: any Decoder, configuration: DecodingConfiguration) throws
}
public protocol DecodingConfigurationProviding {
  associatedtype DecodingConfiguration
  static var decodingConfiguration: DecodingConfiguration { get }
}

// MARK: Text

public struct NSRange: Hashable, Sendable {
  public var location: Int, length: Int
  public init() { (location, length) = (0, 0) }
  public init(location: Int, length: Int) { (self.location, self.length) = (location, length) }
  public init<R: RangeExpression, S: StringProtocol>(_ range: R, in text: S) where R.Bound == String.Index {
    self.init()
  }
}
extension Range where Bound == String.Index {
  public init?<S: StringProtocol>(_ range: NSRange, in text: S) { return nil }
}
public struct NSRegularExpressionOptions: OptionSet, Sendable {
  public let rawValue: UInt
  public init(rawValue: UInt) { self.rawValue = rawValue }
  public static let caseInsensitive = NSRegularExpressionOptions(rawValue: 1)
}
public struct NSMatchingOptions: OptionSet, Sendable {
  public let rawValue: UInt
  public init(rawValue: UInt) { self.rawValue = rawValue }
  public static let anchored = NSMatchingOptions(rawValue: 1)
}
open class NSTextCheckingResult: NSObject {
  open var range: NSRange { NSRange() }
  open var numberOfRanges: Int { 0 }
  open func range(at place: Int) -> NSRange { NSRange() }
}
open class NSRegularExpression: NSObject, @unchecked Sendable {
  public typealias Options = NSRegularExpressionOptions
  public typealias MatchingOptions = NSMatchingOptions
  public init(pattern: String, options: Options = []) throws {}
  open func matches(in text: String, options: MatchingOptions = [], range: NSRange) -> [NSTextCheckingResult]
  { [] }
  open func firstMatch(in text: String, options: MatchingOptions = [], range: NSRange)
    -> NSTextCheckingResult?
  { nil }
  open func stringByReplacingMatches(
    in text: String, options: MatchingOptions = [], range: NSRange, withTemplate template: String
  ) -> String { "" }
}

extension String {
  public struct Encoding: Hashable, Sendable, RawRepresentable {
    public let rawValue: UInt
    public init(rawValue: UInt) { self.rawValue = rawValue }
    public static let utf8 = Encoding(rawValue: 4)
    public static let utf16 = Encoding(rawValue: 10)
    public static let utf16LittleEndian = Encoding(rawValue: 11)
    public static let utf16BigEndian = Encoding(rawValue: 12)
    public static let ascii = Encoding(rawValue: 1)
  }
  public struct CompareOptions: OptionSet, Sendable {
    public let rawValue: UInt
    public init(rawValue: UInt) { self.rawValue = rawValue }
    public static let caseInsensitive = CompareOptions(rawValue: 1)
    public static let backwards = CompareOptions(rawValue: 4)
    public static let anchored = CompareOptions(rawValue: 8)
  }
  public init?(data: Data, encoding: Encoding) { return nil }
  public init?<S: Sequence>(bytes: S, encoding: Encoding) where S.Element == UInt8 { return nil }
  public init(format: String, _ arguments: CVarArg...) { self = format }
  public init(format: String, locale: Locale?, _ arguments: CVarArg...) { self = format }
  public init(contentsOf: URL, encoding: Encoding) throws { self = "" }
  public init(contentsOfFile: String, encoding: Encoding) throws { self = "" }
}
public enum ComparisonResult: Int, Sendable { case orderedAscending = -1, orderedSame, orderedDescending }
extension StringProtocol {
  public func trimmingCharacters(in set: CharacterSet) -> String { "" }
  public func components(separatedBy separator: String) -> [String] { [] }
  public func components(separatedBy set: CharacterSet) -> [String] { [] }
  public func replacingOccurrences<T: StringProtocol, R: StringProtocol>(
    of target: T, with replacement: R, options: String.CompareOptions = [], range: Range<Index>? = nil
  ) -> String { "" }
  public func range<T: StringProtocol>(
    of other: T, options: String.CompareOptions = [], range: Range<Index>? = nil, locale: Locale? = nil
  ) -> Range<Index>? { nil }
  public func contains<T: StringProtocol>(_ other: T) -> Bool { false }
  public func data(using: String.Encoding, allowLossyConversion: Bool = false) -> Data? { nil }
  public func write(toFile: String, atomically: Bool, encoding: String.Encoding) throws {}
  public func write(to: URL, atomically: Bool, encoding: String.Encoding) throws {}
  public func addingPercentEncoding(withAllowedCharacters: CharacterSet) -> String? { nil }
  public func compare<T: StringProtocol>(_ other: T, options: String.CompareOptions = []) -> ComparisonResult
  { .orderedSame }
  public func padding<T: StringProtocol>(toLength: Int, withPad: T, startingAt: Int) -> String { "" }
  public var capitalized: String { "" }
}

open class Formatter: NSObject {}
open class DateFormatter: Formatter, @unchecked Sendable {
  open var dateFormat: String! = ""
  open var locale: Locale! = Locale.current
  open var timeZone: TimeZone! = TimeZone.current
  open func string(from: Date) -> String { "" }
  open func date(from: String) -> Date? { nil }
}
open class NumberFormatter: Formatter, @unchecked Sendable {
  public enum Style: Sendable { case none, decimal, scientific }
  open var numberStyle: Style = .none
  open var locale: Locale! = Locale.current
  open var usesSignificantDigits = false
  open var maximumSignificantDigits = 0
  open var positiveInfinitySymbol = "", negativeInfinitySymbol = "", notANumberSymbol: String! = ""
  open var exponentSymbol: String! = ""
  open func string(for: Any?) -> String? { nil }
}

open class JSONEncoder: @unchecked Sendable {
  public struct OutputFormatting: OptionSet, Sendable {
    public let rawValue: UInt
    public init(rawValue: UInt) { self.rawValue = rawValue }
    public static let prettyPrinted = OutputFormatting(rawValue: 1)
    public static let sortedKeys = OutputFormatting(rawValue: 2)
    public static let withoutEscapingSlashes = OutputFormatting(rawValue: 8)
  }
  public init() {}
  open var outputFormatting: OutputFormatting = []
  open func encode<T: Encodable>(_ value: T) throws -> Data { Data() }
}
open class JSONDecoder: @unchecked Sendable {
  public init() {}
  open func decode<T: Decodable>(_ type: T.Type, from data: Data) throws -> T { fatalError() }
}
