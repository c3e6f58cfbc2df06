# Compares what a program printed with what its comments claim; see Scripts/check-snippets.
#
# Reads the claims, then the output, in which a claimed statement stands between \001<N and \001>N. Prints the claims
# that are wrong or were not reached, and fails then.

BEGIN { FS = "\t" }

# The lines of an output, for a person.
function shown(text) {
    if (text == "") return "nothing"
    gsub(/\036/, "\", then \"", text)
    return "\"" text "\""
}

# The lines of an output, as claims have them.
function lines(text) {
    sub(/\n$/, "", text)
    gsub(/\n/, "\036", text)
    return text
}

FILENAME == ARGV[1] {
    number[$1] = $1
    place[$1] = $2
    # A claim may hold tabs itself.
    expected[$1] = substr($0, length($1) + length($2) + 3)
    next
}

FNR == 1 { all = "" }
{ all = all $0 "\n" }

END {
    count = split(all, pieces, "\001")
    for (i = 2; i <= count; i++) {
        mark = substr(pieces[i], 1, 1)
        rest = substr(pieces[i], 2)
        end = index(rest, "\n")
        claim = substr(rest, 1, end - 1)
        text = substr(rest, end + 1)
        if (mark == "<") {
            all_of[claim] = own[claim] = ""
            running[claim] = ++depth
            innermost[depth] = claim
        } else if (claim in running) {
            depth = running[claim] - 1
            delete running[claim]
            reached[claim] = 1
            if (lines(own[claim]) != expected[claim] && lines(all_of[claim]) != expected[claim]) {
                print place[claim] ": prints " shown(lines(all_of[claim])) ", and not " shown(expected[claim])
                failed = 1
            }
        }
        # Claims may stand inside each other. An outer one may leave out what an inner one claims.
        for (other in running) all_of[other] = all_of[other] text
        if (depth > 0) own[innermost[depth]] = own[innermost[depth]] text
    }
    for (claim in number) {
        if (claim in reached) continue
        print place[claim] ": no run reaches this claim: prints " shown(expected[claim])
        failed = 1
    }
    exit failed
}
