@_silgen_name("print_stack") func printStack() -> Int32

nonisolated(unsafe) var files: Int32 = 0

@inline(__always) func openAll() {
  files &+= printStack()  // HERE openAll()
}

struct Model<Element> {
  var element: Element

  @inline(never) func readFiles(of count: Int32) {
    openAll()  // HERE Model.readFiles(of:)
    files &+= count
  }
}

@inline(never) func forEach(_ body: (Int32) -> Void) {
  body(1)  // HERE forEach(_:)
  files &+= 1
}

@main struct Program {
  static func main() {
    forEach { number in
      Model(element: "x").readFiles(of: number)  // HERE closure
      files &+= 1
    }
  }
}
