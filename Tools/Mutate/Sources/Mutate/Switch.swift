// What the copy has beside the package: the switch that turns one variant on.

/// The files of the switch.
///
/// The number is read once, when the program starts. To record what is reached, the program sets a byte for each
/// variant in a file that it shares with the processes of exit tests, which die without a chance to write one.
enum Switch {
    static let manifest = """

        package.targets.append(.target(name: "CMutation"))
        for target in package.targets where target.type == .regular && !target.name.hasPrefix("C") {
            target.dependencies.append("CMutation")
        }

        """

    /// The tests of the macros compile the plugin's sources.
    static let manifestOfMacros = """

        package.targets.append(.target(name: "CMutation", path: "CMutation"))
        for target in package.targets where target.type == .test { target.dependencies.append("CMutation") }

        """

    static let files = [
        "include/CMutation.h": """
        extern int mutation_active;
        extern unsigned char *mutation_reached;

        static inline _Bool mutation_is_active(int number) {
            if (__builtin_expect(mutation_reached != 0, 0)) mutation_reached[number] = 1;
            return number == mutation_active;
        }

        """,
        "CMutation.c": """
        #include "CMutation.h"
        #include <fcntl.h>
        #include <stdlib.h>
        #include <sys/mman.h>
        #include <sys/stat.h>

        int mutation_active = -1;
        unsigned char *mutation_reached = 0;

        __attribute__((constructor(101))) static void start(void) {
            const char *number = getenv("MUTATION");
            if (number) mutation_active = atoi(number);
            const char *path = getenv("MUTATION_REACHED");
            struct stat status;
            int file = path ? open(path, O_RDWR) : -1;
            if (file < 0 || fstat(file, &status) != 0) return;
            void *bytes = mmap(0, status.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
            if (bytes != MAP_FAILED) mutation_reached = bytes;
        }

        """,
    ]

    static let functions = """
        internal import CMutation

        @inline(__always) func __mutant(_ number: Int32) -> Bool { mutation_is_active(number) }

        func __mutantLess<T: Comparable>(_ number: Int32, _ left: T, _ right: T) -> Bool {
            __mutant(number) ? left <= right : left < right
        }
        func __mutantLessOrEqual<T: Comparable>(_ number: Int32, _ left: T, _ right: T) -> Bool {
            __mutant(number) ? left < right : left <= right
        }
        func __mutantGreater<T: Comparable>(_ number: Int32, _ left: T, _ right: T) -> Bool {
            __mutant(number) ? left >= right : left > right
        }
        func __mutantGreaterOrEqual<T: Comparable>(_ number: Int32, _ left: T, _ right: T) -> Bool {
            __mutant(number) ? left > right : left >= right
        }

        """
}
