// The unit in which the kernel counts memory.
#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The size of a page of memory.
package enum PageSize {
    /// This machine's size, which is taken for that of a recording, too, because no file of a recording says it.
    package static let bytes = UInt64(max(1, sysconf(Int32(_SC_PAGESIZE))))
}
