# Turns what `swift-synthesize-interface` prints into lines of four columns, which can be sorted:
# a type, 0 for its declaration or 1 for an extension, that declaration, and a member or nothing.
#
# Left out are names with an underscore and `deinit`, overrides, what a conformance to a protocol of the standard library
# promises already, and what says nothing to a user: `public`, `@inlinable`, and the names of the modules in the variable
# `modules`, separated by spaces.

BEGIN {
    module_count = split(modules, module_names, " ")
    promised["Equatable"] = "func =="
    promised["Hashable"] = "func ==|func hash"
    promised["CustomStringConvertible"] = "(let|var) description:"
    promised["CustomDebugStringConvertible"] = "var debugDescription:"
    promised["CustomReflectable"] = "var customMirror:"
    promised["Encodable"] = "func encode"
    promised["Decodable"] = "init\\(from"
    promised["OptionSet"] = "rawValue"
    promised["Sequence"] = "func makeIterator|var underestimatedCount"
    promised["Collection"] = "func (index|distance)|subscript\\(position|var (count|startIndex|endIndex|indices|isEmpty):"
    promised["BidirectionalCollection"] = "func index"
    promised["AsyncSequence"] = "func makeAsyncIterator|typealias Failure"
    promised["AsyncIteratorProtocol"] = "func next"
}

# A declaration without what says nothing, after the attributes in the lines before it.
function cleaned(line,    number) {
    line = " " line
    for (number = 1; number <= module_count; number++) {
        while (match(line, "[^A-Za-z0-9_.]" module_names[number] "[.]")) {
            line = substr(line, 1, RSTART) substr(line, RSTART + RLENGTH)
        }
    }
    gsub(/ @inlinable /, " ", line)
    gsub(/ public /, " ", line)
    gsub(/ : /, ": ", line)
    line = attributes substr(line, 2)
    attributes = ""
    return line
}

# The name of the type that a line declares or extends.
function type_of(line) {
    match(line, /(class|struct|enum|protocol|extension) [A-Za-z_][A-Za-z0-9_.]*/)
    line = substr(line, RSTART, RLENGTH)
    sub(/^[a-z]+ /, "", line)
    return line
}

# A header without conformances to protocols whose names begin with an underscore.
function bare(header,    place, conditions) {
    place = match(header, / where /) ? RSTART : length(header) + 1
    conditions = substr(header, place)
    header = substr(header, 1, place - 1)
    while (match(header, /, _[A-Za-z]+(<[^<>]*>)?/)) header = substr(header, 1, RSTART - 1) substr(header, RSTART + RLENGTH)
    if (match(header, /: _[A-Za-z]+(<[^<>]*>)?, /)) header = substr(header, 1, RSTART) " " substr(header, RSTART + RLENGTH)
    sub(/: _[A-Za-z]+(<[^<>]*>)?$/, "", header)
    return header conditions
}

# Whether a conformance in the header of a type or an extension says that the member is there.
function is_promised(header, member,    name) {
    if (!match(header, /[A-Za-z>]: .*/)) return 0
    header = substr(header, RSTART + 2)
    sub(/ where .*/, "", header)
    for (name in promised) if (header ~ "(^|[ ,])" name "(,|$)" && member ~ promised[name]) return 1
    return 0
}

function print_row(type, rank, header, member) {
    if (type !~ /(^|\.)_/) print type "\t" rank "\t" header "\t" member
}

/^ *(\/\/.*|import .*)?$/ { next }

{
    sub(/^ +/, "")
    if (/^@[A-Za-z]+(\([^()]*\))?$/) {
        attributes = attributes $0 " "
    } else if (/^}$/) {
        depth--
    } else if (/ {$/) {
        sub(/ {$/, "")
        name = type_of($0)
        header = bare(cleaned($0))
        # A type within another one has its full name.
        if (depth > 0) {
            sub(name, types[depth] "." name, header)
            name = types[depth] "." name
        }
        depth++
        types[depth] = name
        headers[depth] = header
        ranks[depth] = header ~ /(^| )extension / ? 1 : 0
        # An extension without a conformance says nothing by itself.
        if (ranks[depth] == 0 || header ~ /extension [A-Za-z0-9_.]+: /) print_row(name, ranks[depth], header, "")
    } else {
        member = cleaned($0)
        if (member ~ /(^| )override / || is_promised(headers[depth], member)) next
        if (member ~ /^deinit$/ || member ~ /(^| )(func|var|let|case|typealias|associatedtype) _/) next
        print_row(types[depth], ranks[depth] + 0, headers[depth], member)
    }
}
