"""A small Swift package with a timer on its main loop, before and after a change that blocks the loop."""

PROGRAM = """import Foundation

@inline(never) func refresh(_ count: Int) {
  print("refresh", count)
}

let timer = Timer(timeInterval: 0.05, repeats: true) { _ in refresh(1) }
RunLoop.main.add(timer, forMode: .common)
RunLoop.main.run(until: Date(timeIntervalSinceNow: 1.5))
"""
CALM = '  print("refresh", count)\n'
FAULT = "  Thread.sleep(forTimeInterval: 0.5)\n"
SOURCE = "Sources/App/main.swift"
# The blocked program breaks it.
RULE = "max(busy) < 250ms"


def write(folder, dependencies=""):
    """Writes the package, before the change. `dependencies`: Swift code."""
    (folder / SOURCE).parent.mkdir(parents=True)
    (folder / "Package.swift").write_text(f"""// swift-tools-version: 6.0
import PackageDescription

let package = Package(
  name: "Sample",
  dependencies: [{dependencies}],
  targets: [.executableTarget(name: "App")])
""")
    (folder / SOURCE).write_text(PROGRAM)


def block(folder):
    """Makes the change. Returns the beginning of the annotation of the line that blocks the loop."""
    text = PROGRAM.replace(CALM, CALM + FAULT)
    (folder / SOURCE).write_text(text)
    line = text[:text.index(FAULT)].count("\n") + 1
    return f"::error file={SOURCE},line={line},"
