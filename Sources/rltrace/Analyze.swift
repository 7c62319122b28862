import ArgumentParser
struct Analyze: ParsableCommand { func run() throws {} }
