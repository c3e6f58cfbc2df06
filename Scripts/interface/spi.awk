# Finds what sources declare for the package's own tools only, in extensions with `@_spi`: a type's full name, or the name
# of a type and how a member of it is declared, separated by a tab.

/^@_spi\(/ { wanted = 1 }
/^}/ { type = "" }
/^extension / {
    if (wanted) type = $2
    wanted = 0
}
type != "" && /^    public / {
    if (match($0, /(struct|class|enum) [A-Za-z]+/)) {
        split(substr($0, RSTART, RLENGTH), words, " ")
        print type "." words[2]
    } else if (match($0, /(func|var) [A-Za-z]+/)) {
        print type "\t" substr($0, RSTART, RLENGTH)
    }
}
