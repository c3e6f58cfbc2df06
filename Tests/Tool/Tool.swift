// Makes the tests of the macros a tool of the build; see Package.swift.
@main
struct Tool {
    static func main() {}
}
