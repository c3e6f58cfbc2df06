# Makes programs of the Swift fences of articles and of comments in sources; see Scripts/check-snippets.
#
# Gets `folder`; makes folder/N/main.swift, folder/N/claims (number, place and expected output, separated by tabs) and,
# as far as asked for, folder/N/not-run and folder/N/nonisolated. Prints for each program its number and its place.

function fail(message) {
    print FILENAME ":" FNR ": " message
    failed = 1
}

# Begins a program, which is written when its first fence is.
function begin(models) {
    program = 0
    with_models = models
}

# Begins a program of one fence; the one before it goes on after it.
function begin_alone(models) {
    if (!alone) {
        outer = program
        outer_models = with_models
        outer_directory = directory
        outer_main = main
        outer_claims = claims
    }
    alone = 1
    begin(models)
}

function end_alone() {
    if (!alone) return
    alone = 0
    program = outer
    with_models = outer_models
    directory = outer_directory
    main = outer_main
    claims = outer_claims
}

function open_program() {
    if (program != 0) return
    program = ++count
    directory = folder "/" program
    system("mkdir -p " directory)
    main = directory "/main.swift"
    claims = directory "/claims"
    printf "" >> claims
    print "import KeyValueObserving" >> main
    if (FILENAME ~ /^Sources\/KeyValueCoding\//) print "import KeyValueCoding" >> main
    if (FILENAME ~ /^Sources\/KeyValueObservingStyles\//) print "import KeyValueObservingStyles" >> main
    if (FILENAME ~ /^Sources\/KeyValueObservingTrace\//) print "import KeyValueObservingTrace" >> main
    if (FILENAME ~ /^Sources\/KeyValueObservingHistory\//) print "import KeyValueObservingHistory" >> main
    if (FILENAME ~ /^Sources\/KeyValueObservingMacros\//) print "import KeyValueObservingMacros" >> main
    if (with_models) print "@testable import SnippetModels" >> main
    print program " " FILENAME ":" fence_line
}

# Reads what a comment claims to be printed, into `expected`, with \036 between lines; false if it cannot be read.
function read_claim(text,    count_of_parts, parts, i) {
    expected = ""
    sub(/^[Pp]rints +/, "", text)
    if (text ~ /^nothing([:;,.].*)?$/) return 1
    if (text !~ /^"/) return 0
    # The last quotation mark ends the claim.
    match(text, /^".*"/)
    if (substr(text, RLENGTH + 1) !~ /^([:;,.].*)?$/) return 0
    text = substr(text, 2, RLENGTH - 2)
    gsub(/",? (then|and) "/, "\036", text)
    expected = text
    return 1
}

# The line on which the statement begins that a line ends.
function statement(line,    indentation) {
    for (;;) {
        match(code[line], /^ */)
        indentation = RLENGTH
        if (code[line] ~ /^ *[\]})]/) {
            # What closes something belongs to the line that opened it.
            do line--; while (line > 1 && (code[line] ~ /^ *$/ || (match(code[line], /^ */) && RLENGTH > indentation)))
            if (line < 1) return 1
        } else if (line > 1 && (code[line] ~ /^ *[.?:]/ || code[line - 1] ~ /[,(=\[]$/)) {
            line--
        } else {
            return line
        }
    }
}

# Fails unless the fence is a part of a file, however far that is indented.
function check_part(file,    text, source, part, i, result) {
    part = ""
    for (i = 1; i <= lines; i++) {
        sub(/^ +/, "", code[i])
        part = part "\n" code[i]
    }
    while ((result = (getline text < file)) > 0) {
        sub(/^ +/, "", text)
        source = source "\n" text
    }
    close(file)
    if (result < 0) fail("there is no file " file)
    else if (!index(source "\n", part "\n")) fail("these lines do not stand in " file)
}

# Puts marks around the statements whose output is claimed, and adds the fence to its program.
function end_fence(    i, first, claimed, comment) {
    if (part_of != "") check_part(part_of)
    if (skip || part_of != "") return
    open_program()
    for (i = 1; i <= lines; i++) {
        if (!match(code[i], /\/\/ [Pp]rints /)) continue
        comment = substr(code[i], RSTART + 3)
        code[i] = substr(code[i], 1, RSTART - 1)
        sub(/ +$/, "", comment)
        if (!read_claim(comment)) {
            print FILENAME ":" (fence_line + i) ": this claim is not understood: " comment
            failed = 1
            continue
        }
        claim[i] = ++claim_count
        print claim_count "\t" FILENAME ":" (fence_line + i) "\t" expected >> claims
    }
    for (i = 1; i <= lines; i++) {
        if (!(i in claim)) continue
        claimed = i
        while (claimed > 1 && code[claimed] ~ /^ *$/) claimed--
        first = statement(claimed)
        match(code[first], /^ */)
        code[first] = substr(code[first], 1, RLENGTH) "print(\"\\u{1}<" claim[i] "\"); " substr(code[first], RLENGTH + 1)
        code[i] = code[i] "; print(\"\\u{1}>" claim[i] "\")"
        sub(/^ *; /, "", code[i])
        delete claim[i]
    }
    printf "#sourceLocation(file: \"%s\", line: %d)\n", FILENAME, fence_line + 1 >> main
    for (i = 1; i <= lines; i++) print code[i] >> main
    # Only so many files may be open.
    close(main)
    close(claims)
    if (not_run) system("touch " directory "/not-run")
    if (nonisolated) system("touch " directory "/nonisolated")
}

FNR == 1 {
    if (in_fence) fail("the last fence of the file before is not closed")
    in_fence = skip = not_run = nonisolated = alone = 0
    part_of = ""
    is_source = FILENAME ~ /\.swift$/
    begin(is_source)
}

{
    line = $0
    if (is_source) {
        if (line !~ /^ *\/\/\//) {
            # A comment has ended, and its program with it.
            if (in_fence) fail("the fence of this comment is not closed")
            in_fence = 0
            begin(1)
            next
        }
        sub(/^ *\/\/\/ ?/, "", line)
    }
}

!in_fence && line ~ /^ *<!-- snippet:/ {
    if (line ~ /<!-- snippet: new program -->/) begin(0)
    else if (line ~ /<!-- snippet: alone( with models)? -->/) begin_alone(line ~ /models/)
    else if (line ~ /<!-- snippet: new program with models -->/) begin(1)
    else if (line ~ /<!-- snippet: not compiled, because .+ -->/) skip = 1
    else if (match(line, /<!-- snippet: part of [^ ]+ -->/)) part_of = substr(line, RSTART + 22, RLENGTH - 26)
    else if (line ~ /<!-- snippet: not run, because .+ -->/) not_run = 1
    else if (line ~ /<!-- snippet: nonisolated, because .+ -->/) nonisolated = 1
    else fail("this is not understood: " line)
    next
}

line ~ /^ *```/ {
    if (in_fence) {
        if (in_fence == 2) end_fence()
        end_alone()
        in_fence = skip = not_run = nonisolated = 0
        part_of = ""
    } else {
        in_fence = line ~ /^ *```swift *$/ ? 2 : 1
        match(line, /^ */)
        indentation = RLENGTH
        fence_line = FNR
        lines = 0
    }
    next
}

in_fence {
    match(line, /^ */)
    code[++lines] = substr(line, (RLENGTH < indentation ? RLENGTH : indentation) + 1)
}

END {
    if (in_fence) fail("the last fence is not closed")
    if (failed) exit 1
}
