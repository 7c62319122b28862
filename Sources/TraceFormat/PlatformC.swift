// The C library, under whichever name the platform has it.
#if canImport(Glibc)
@_exported import Glibc
#elseif canImport(Musl)
@_exported import Musl
#else
@_exported import Darwin
#endif

#if canImport(Darwin)
let seekData = SEEK_DATA
#else
/// The header keeps SEEK_DATA for GNU sources, which Swift's import is none of.
let seekData: Int32 = 3
#endif
