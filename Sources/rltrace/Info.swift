import ArgumentParser
struct Info: ParsableCommand { func run() throws {} }
