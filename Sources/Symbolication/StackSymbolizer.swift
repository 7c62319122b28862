import TraceFormat

/// Names for the frames of call stacks of another process: functions, inlined ones included, with file and line.
///
/// Lines come from llvm-symbolizer, which is asked in batches; where there is none, or it fails, functions come from
/// symbol tables, and frames say so. What was found is kept in memory for the next call. One thread.
public final class StackSymbolizer {
  /// What `frames(of:)` was told of an image.
  fileprivate struct Image {
    var mapped: MappedImage
    var knowsBias: Bool
  }

  /// What Swift calls the file of code that stands in none.
  private static let noFile = "<compiler-generated>"

  private var images: [Image] = []
  /// An image, wherever it is mapped.
  private struct Build: Hashable {
    var path: String
    var id: [UInt8]

    init(_ image: MappedImage) { (path, id) = (image.path, image.buildID) }
  }

  private var filesOfImage: [Build: Result<SymbolFiles.Found, MissingNames>] = [:]
  private var known: [StackAddress: [SymbolizedFrame]] = [:]
  private let files: SymbolFiles
  private let program: LineProgram
  private let demangler = BoundedDemangler()

  /// `folders` are searched for images that are no longer where they were, and for debug information. `lineReader` is
  /// an llvm-symbolizer; an empty path: none. `limitMs` bounds the time for lines of all files; what is beyond has
  /// functions only.
  public init(folders: [String] = [], lineReader: String? = nil, limitMs: Int = SymbolLimits.answersMs) {
    files = SymbolFiles(folders: folders)
    program = LineProgram(
      path: lineReader.map { $0.isEmpty ? nil : $0 } ?? LineProgram.find(), limitMs: limitMs)
  }

  /// Names of images that were recorded without a build id and were found: their files may have changed since.
  public private(set) var unverifiedImages: Set<String> = []

  /// Given folders with more files, or deeper ones, than are looked at.
  public var cutFolders: [String] { files.cutFolders }

  /// The files that the symbolizer read names from.
  public var filesRead: [String] {
    filesOfImage.values.flatMap { found -> [String] in
      guard case .success(let files) = found else { return [] }
      return [files.symbols.path] + (files.lines.map { [$0.path] } ?? [])
    }
  }

  /// The llvm-symbolizer that is asked for lines; nil when there is none.
  public var lineReader: String? { program.path }

  /// The time for lines is used up.
  public var isOutOfTime: Bool { program.isOutOfTime }

  /// Forgets the images of one process, and begins with another one. Files that were read stay known.
  public func beginProcess() {
    images = []
    known = [:]
  }

  /// Adds an image. `knowsBias`: its bias is the loader's. Otherwise it is computed from where the image begins and
  /// where its file says that it should.
  public func add(_ image: MappedImage, knowsBias: Bool = true) {
    images.append(Image(mapped: image, knowsBias: knowsBias))
    known = [:]
  }

  /// The functions at each address, innermost first: all but the last were inlined. Never empty.
  public func frames(of addresses: some Sequence<StackAddress>) -> [StackAddress: [SymbolizedFrame]] {
    var asked: [StackAddress: [SymbolizedFrame]] = [:]
    var addressesOfImage: [Int: [StackAddress]] = [:]
    let ranges = ImageRanges(images.map(\.mapped.range))
    for address in addresses where asked[address] == nil {
      if let frames = known[address] {
        asked[address] = frames
        continue
      }
      if let image = ranges.image(at: address.lookup) {
        addressesOfImage[image, default: []].append(address)
        asked[address] = []
      } else {
        asked[address] = [SymbolizedFrame(offset: address.lookup, missing: .noImage)]
      }
    }
    for (number, addresses) in addressesOfImage.sorted(by: { $0.key < $1.key }) {
      for (address, frames) in frames(of: addresses, in: images[number]) { asked[address] = frames }
    }
    known.merge(asked) { $1 }
    return asked
  }

  private func frames(of addresses: [StackAddress], in image: Image) -> [(StackAddress, [SymbolizedFrame])] {
    let found = filesOfImage[Build(image.mapped)] ?? files.files(for: image.mapped)
    filesOfImage[Build(image.mapped)] = found
    let files: SymbolFiles.Found
    switch found {
    case .success(let value): files = value
    case .failure(let why):
      return addresses.map { address in
        let offset = address.lookup &- (image.knowsBias ? image.mapped.bias : image.mapped.range.lowerBound)
        return (address, [SymbolizedFrame(image: image.mapped.name, offset: offset, missing: why)])
      }
    }
    if image.mapped.buildID.isEmpty { unverifiedImages.insert(image.mapped.name) }
    let bias = image.bias(of: files.symbols)
    // Of Mach-O files llvm-symbolizer reads the symbols as well.
    let asked = files.lines ?? (files.symbols.isMachO ? files.symbols : nil)
    let lines = asked.flatMap { program.answers(of: $0.reference, at: addresses.map { $0.lookup &- bias }) }
    let why: MissingNames =
      asked == nil
      ? .noLines : program.path == nil ? .noLineReader : lines == nil ? .lineReaderFailed : .noLineHere
    return addresses.map { address in
      let offset = address.lookup &- bias
      let frame = SymbolizedFrame(image: image.mapped.name, offset: offset)
      let answers = lines?[offset] ?? []
      return (address, frames(answers, at: frame, files: files, why: why))
    }
  }

  /// `place` is a frame that has image and offset.
  private func frames(
    _ answers: [LineAnswer.Frame], at place: SymbolizedFrame, files: SymbolFiles.Found, why: MissingNames
  ) -> [SymbolizedFrame] {
    let hasLines = answers.contains(where: \.hasLines)
    if hasLines || files.symbols.isMachO && answers.contains(where: { !$0.function.isEmpty }) {
      return answers.enumerated().map { position, answer in
        var frame = place
        frame.isInlined = position < answers.count - 1
        let hasFile = hasLines && !answer.file.isEmpty && !answer.file.has(Self.noFile)
        frame.file = hasFile ? answer.file : nil
        frame.line = hasFile && answer.line > 0 ? answer.line : nil
        frame.column = hasFile && answer.column > 0 ? answer.column : nil
        frame.origin = hasLines ? .lines : .symbolTable
        frame.missing = frame.line == nil ? hasLines ? .noLineHere : why == .noLineHere ? .noLines : why : nil
        let symbol =
          answer.function.isEmpty
          ? files.symbols.functions?.function(at: place.offset)?.symbol : answer.function
        // Mach-O's symbol tables have an underscore before every name.
        name(
          &frame, hasLines || symbol?.hasPrefix("_") != true ? symbol : symbol.map { String($0.dropFirst()) })
        return frame
      }
    }
    var frame = place
    guard let function = files.symbols.functions?.function(at: place.offset) else {
      frame.missing =
        why == .noLineReader && files.symbols.isMachO ? why : files.symbols.hasSymbols ? .noSymbol : .stripped
      return [frame]
    }
    frame.origin = .symbolTable
    frame.missing = why
    name(&frame, function.symbol)
    return [frame]
  }

  private func name(_ frame: inout SymbolizedFrame, _ symbol: String?) {
    guard var symbol else { return }
    // The version of a shared library's function: `pthread_create@@GLIBC_2.34`.
    if !BoundedDemangler.isMangled(symbol), let version = symbol.firstIndex(of: "@"),
      version > symbol.startIndex
    {
      symbol = String(symbol[..<version])
    }
    let name = demangler.name(of: symbol)
    frame.symbol = symbol
    frame.function = name.short
    frame.fullName = name.full
    frame.isThunk = name.isThunk
  }
}

extension StackSymbolizer.Image {
  private static let pageMask: UInt64 = 0xFFF

  /// What the loader added to the file's addresses. Recorders may give the begin of an image's first segment, or of the
  /// page that it begins in; the loader moves whole pages.
  fileprivate func bias(of file: ObjectFile) -> UInt64 {
    guard !knowsBias else { return mapped.bias }
    let base = mapped.range.lowerBound
    let bias = base &- file.loadAddress
    return bias & Self.pageMask == 0 ? bias : base &- (file.loadAddress & ~Self.pageMask)
  }
}
