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
/// The header defines SEEK_DATA only for GNU sources, and Swift does not import it as one.
package let seekData: Int32 = 3
#endif
