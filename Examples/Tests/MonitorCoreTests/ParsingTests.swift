// The texts of proc(5), and what else may stand in their place.
import MonitorCore
import Testing

@Suite struct ParsingTests {
    @Test func `meminfo is read in any order`() throws {
        let reading = try MemoryReading(
            parsing: "SwapFree: 1 kB\nnoise\nMemAvailable:\t 3 kB\nMemTotal: 8 kB\nSwapTotal: 5 kB\nOdd: x: y\n")
        #expect(reading.total == 8192)
        #expect(reading.available == 3072)
        #expect(reading.swapUsed == 4096)
    }

    @Test func `a machine without swap uses none`() throws {
        #expect(try MemoryReading(parsing: "MemTotal: 8 kB\nMemAvailable: 3 kB").swapUsed == 0)
    }

    @Test(arguments: [
        ("", "no MemTotal line"),
        ("MemTotal: 8 kB", "no MemAvailable line"),
        ("MemTotal: 0 kB\nMemAvailable: 0 kB", "MemTotal is 0"),
        ("MemTotal: 8\nMemAvailable: 3 kB", "MemTotal is not a number of kB"),
        ("MemTotal: -8 kB\nMemAvailable: 3 kB", "MemTotal is not a number of kB"),
        ("MemTotal: 8 kB\nMemAvailable: 3 MB", "MemAvailable is not a number of kB"),
        ("MemTotal: 18446744073709551615 kB\nMemAvailable: 3 kB", "MemTotal is out of range"),
    ])
    func `a malformed meminfo says what is wrong`(text: String, reason: String) {
        let error = #expect(throws: MalformedText.self) { try MemoryReading(parsing: text) }
        #expect(error?.reason == reason)
    }

    @Test func `loadavg begins with three averages`() throws {
        #expect(
            try LoadAverage(parsing: "0.30 0.16 12.06 4/106 5259\n")
                == LoadAverage(one: 0.3, five: 0.16, fifteen: 12.06))
    }

    @Test(arguments: ["", "0.30 0.16", "a b c", "0.1 nan 0.2", "0.1 inf 0.2", "-0.1 0.1 0.2"])
    func `a malformed loadavg is refused`(text: String) {
        #expect(throws: MalformedText.self) { try LoadAverage(parsing: text) }
    }

    @Test func `stat sums up all times, the guests' not twice`() throws {
        let times = try ProcessorTimes(parsing: "cpu  1 2 3 4 5 6 7 8 100 100\ncpu0 9 9 9 9\n")
        #expect(times.total == 36)
        #expect(times.idle == 9)
    }

    @Test func `an old kernel's stat has four times`() throws {
        let times = try ProcessorTimes(parsing: "cpu 1 2 3 4")
        #expect(times.total == 10)
        #expect(times.idle == 4)
    }

    @Test(arguments: ["", "cpu0 1 2 3 4", "cpu  1 2 3", "cpu  1 2 x 4", "cpu  18446744073709551615 1 0 0"])
    func `a malformed stat is refused`(text: String) {
        #expect(throws: MalformedText.self) { try ProcessorTimes(parsing: text) }
    }

    @Test(arguments: ["cat", "Web Content", "(sd-pam)", "cc1 (plus) )", ") S 1 (", "", "two\nlines", "é"])
    func `a command's name may be anything`(name: String) throws {
        let record = try ProcessRecord(
            parsing: "4711 (\(name)) R 1 1 1 0 -1 4194304 97 0 0 0 30 12 0 0 20 0 1 0 328156 3133440 394\n")
        #expect(record.pid == 4711)
        #expect(record.name == name)
        #expect(record.ticks == 42)
        #expect(record.startTime == 328156)
        #expect(!record.isKernelThread)
    }

    @Test func `a kernel thread is known by its flags`() throws {
        let record = try ProcessRecord(
            parsing: "2 (kthreadd) S 0 0 0 0 -1 2129984 0 0 0 0 0 0 0 0 20 0 1 0 1 0 0")
        #expect(record.isKernelThread)
    }

    @Test func `memory is told in pages`() throws {
        #expect(try ProcessRecord(1, "a", pages: 394).residentBytes == 394 * PageSize.bytes)
        let error = #expect(throws: MalformedText.self) { try ProcessRecord(1, "a", pages: Int.max) }
        #expect(error?.reason == "field 24 is out of range")
        let cutOff = "1 (cat) R 1 1 1 0 -1 0 0 0 0 0 1 1 0 0 20 0 1 0 5 0"
        #expect(throws: MalformedText.self) { try ProcessRecord(parsing: cutOff) }
    }

    @Test(arguments: [
        ("", "no command name in parentheses"),
        (") 1 (", "no command name in parentheses"),
        ("x (cat) R", "no process identifier"),
        ("-1 (cat) R", "no process identifier"),
        ("1 (cat) R 1 1 1 0 -1 0", "field 14 is not a number"),
        ("1 (cat) R 1 1 1 0 -1 0 0 0 0 0 18446744073709551615 1", "fields 14 and 15 are out of range"),
        ("1 (cat) R 1 1 1 0 -1 0 0 0 0 0 1 1 0 0 20 0 1 0 x", "field 22 is not a number"),
    ])
    func `a malformed process says what is wrong`(text: String, reason: String) {
        let error = #expect(throws: MalformedText.self) { try ProcessRecord(parsing: text) }
        #expect(error?.reason == reason)
    }
}
