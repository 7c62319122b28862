// The C library, by its name on this platform.
#if canImport(Glibc)
@_exported import Glibc
#elseif canImport(Musl)
@_exported import Musl
#else
@_exported import Darwin
#endif

#if canImport(Darwin)
package let seekData = SEEK_DATA
#else
/// The header defines SEEK_DATA only with _GNU_SOURCE, which Swift's import does not set.
package let seekData: Int32 = 3
#endif
