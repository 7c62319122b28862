import TraceFormat

/// Names the frames of another process's call stacks: functions, including inlined ones, with file and line.
///
/// Lines come from llvm-symbolizer, which is asked in batches. If there is none, or it fails, functions come from
/// symbol tables, and the frames show that. Results are kept in memory for the next call. One thread at a time.
package final class StackSymbolizer {
  /// An image that was added.
  fileprivate struct Image {
    var mapped: MappedImage
    var knowsBias: Bool
  }

  private var images: [Image] = []
  /// The identity of an image, wherever it is mapped.
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

  /// `folders` are searched for images that have moved, and for debug information. `lineReader`: the path of an
  /// llvm-symbolizer; empty = none. `limitMs` limits the time for the lines of all files; after that, frames have
  /// functions only.
  package init(folders: [String] = [], lineReader: String? = nil, limitMs: Int = SymbolLimits.answersMs) {
    files = SymbolFiles(folders: folders)
    program = LineProgram(
      path: lineReader.map { $0.isEmpty ? nil : $0 } ?? LineProgram.find(), limitMs: limitMs)
  }

  /// The names of images that were recorded without a build id and were found. Their files may have changed since.
  package private(set) var unverifiedImages: Set<String> = []

  /// The given folders that were searched only in part, because they have too many files or are nested too deeply.
  package var cutFolders: [String] { files.cutFolders }

  /// The files that the symbolizer read names from.
  package var filesRead: [String] {
    filesOfImage.values.flatMap { found -> [String] in
      guard case .success(let files) = found else { return [] }
      return [files.symbols.path] + (files.lines.map { [$0.path] } ?? [])
    }
  }

  /// Why functions have no files and lines, and what the user can do; nil when there is an llvm-symbolizer.
  package var lineReaderAdvice: String? { program.path == nil ? LineProgram.advice : nil }

  /// Whether the time for lines is used up.
  package var isOutOfTime: Bool { program.isOutOfTime }

  /// Forgets the images of one process to begin with another. Files that were read stay cached.
  package func beginProcess() {
    images = []
    known = [:]
  }

  /// Adds an image. `knowsBias`: its bias is the loader's. Otherwise the bias is computed from the image's start and
  /// the start that its file states.
  package func add(_ image: MappedImage, knowsBias: Bool = true) {
    images.append(Image(mapped: image, knowsBias: knowsBias))
    known = [:]
  }

  /// Returns the functions at each address, innermost first: all but the last were inlined. Never empty.
  package func frames(of addresses: some Sequence<StackAddress>) -> [StackAddress: [SymbolizedFrame]] {
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
    for (number, addresses) in addressesOfImage.ordered(by: { $0.key < $1.key }) {
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
    // llvm-symbolizer also reads the symbols of Mach-O files.
    let asked = files.lines ?? (files.symbols.isMachO ? files.symbols : nil)
    let lines = asked.flatMap { program.answers(of: $0.reference, at: addresses.map { $0.lookup &- bias }) }
    let why: MissingNames =
      asked == nil
      ? .noLines : program.path == nil ? .noLineReader : lines == nil ? .lineReaderFailed : .noLineHere
    let inside = asked.map { firstLines(of: lines ?? [:], in: $0, files.symbols) } ?? [:]
    return addresses.map { address in
      let offset = address.lookup &- bias
      let frame = SymbolizedFrame(image: image.mapped.name, offset: offset)
      let answers = inside[offset].map { [$0] } ?? lines?[offset] ?? []
      return (address, frames(answers, at: frame, files: files, why: why))
    }
  }

  /// How far after the beginning of a function its first line is looked for.
  private static let bodyOffsets: [UInt64] = [0, 4, 8, 12, 16, 24, 32, 48, 64, 96, 128]
  /// The suffix of the symbol of a function that only calls a closure. The rest is the closure's symbol.
  private static let forwarderSuffix = "TA"

  /// Returns the first line inside each function that begins at an address without a line, by address. The compiler
  /// makes such functions to call a closure, whose code is inlined into them or is a function of its own.
  private func firstLines(
    of lines: [UInt64: [LineAnswer.Frame]], in file: ObjectFile, _ symbols: ObjectFile
  ) -> [UInt64: LineAnswer.Frame] {
    let entries = lines.filter { offset, frames in
      !frames.contains { $0.line > 0 } && symbols.functions?.function(at: offset)?.start == offset
    }.compactMap { offset, frames in frames.last.map { (start: offset, symbol: $0.function) } }
    guard !entries.isEmpty else { return [:] }
    func target(_ symbol: String) -> String? {
      symbol.hasSuffix(Self.forwarderSuffix) ? String(symbol.dropLast(Self.forwarderSuffix.count)) : nil
    }
    let targets = symbols.functions?.starts(of: Set(entries.compactMap { target($0.symbol) })) ?? [:]
    let bodies = entries.flatMap { entry in
      [(entry.start, entry.symbol, entry.start)]
        + (target(entry.symbol).flatMap { symbol in targets[symbol].map { [(entry.start, symbol, $0)] } }
          ?? [])
    }.ordered { ($0.0, $0.2) < ($1.0, $1.2) }
    let asked = Set(bodies.flatMap { body in Self.bodyOffsets.map { body.2 &+ $0 } })
    guard let inside = program.answers(of: file.reference, at: asked.ordered()) else { return [:] }
    var found: [UInt64: LineAnswer.Frame] = [:]
    for (entry, symbol, body) in bodies where found[entry] == nil {
      for offset in Self.bodyOffsets {
        guard let frames = inside[body &+ offset], frames.last?.function == symbol else { break }
        // The outermost code that has a line: what is inlined into it may be a library's.
        guard var line = frames.last(where: { $0.line > 0 }) else { continue }
        line.function = symbol
        found[entry] = line
        break
      }
    }
    return found
  }

  /// `place`: a frame with image and offset.
  private func frames(
    _ answers: [LineAnswer.Frame], at place: SymbolizedFrame, files: SymbolFiles.Found, why: MissingNames
  ) -> [SymbolizedFrame] {
    let hasLines = answers.contains(where: \.hasLines)
    if hasLines || files.symbols.isMachO && answers.contains(where: { !$0.function.isEmpty }) {
      return answers.enumerated().map { position, answer in
        var frame = place
        frame.isInlined = position < answers.count - 1
        frame.file = hasLines ? answer.sourceFile : nil
        frame.line = frame.file != nil && answer.line > 0 ? answer.line : nil
        frame.column = frame.file != nil && answer.column > 0 ? answer.column : nil
        frame.origin = hasLines ? .lines : .symbolTable
        frame.missing = frame.line == nil ? hasLines ? .noLineHere : why == .noLineHere ? .noLines : why : nil
        let symbol =
          answer.function.isEmpty
          ? files.symbols.functions?.function(at: place.offset)?.symbol : answer.function
        // Mach-O symbol tables have an underscore before every name.
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
    // Removes the version of a shared library's function: `pthread_create@@GLIBC_2.34`.
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

  /// Returns the number that the loader added to the file's addresses. Recorders may give the start of an image's
  /// first segment, or of the page that contains it; the loader moves whole pages.
  fileprivate func bias(of file: ObjectFile) -> UInt64 {
    guard !knowsBias else { return mapped.bias }
    let base = mapped.range.lowerBound
    let bias = base &- file.loadAddress
    return bias & Self.pageMask == 0 ? bias : base &- (file.loadAddress & ~Self.pageMask)
  }
}
