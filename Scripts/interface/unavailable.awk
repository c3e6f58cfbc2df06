# Finds what sources declare as unavailable, which no module lists, and prints it as flatten.awk does.

# The word or words that a line has inside quotation marks do not count.
function without_strings(line) {
    gsub(/"[^"]*"/, "\"\"", line)
    return line
}

/^ *\/\// { next }

# What the next members belong to.
/^(public |final )*(class|struct|enum|extension) / { type_line = $0 }

# The attribute, in one line or several.
/^ *@available\($/ || /^ *@available\(.*unavailable/ {
    attribute = $0
    while (attribute !~ /"""/ ? without_strings(attribute) !~ /\)$/ : attribute !~ /""".*""" *\)$/) {
        if ((getline line) <= 0) break
        attribute = attribute " " line
    }
    if (attribute ~ /unavailable/) wanted = 1
    next
}

# What it is an attribute of, up to its body.
wanted {
    declaration = $0
    while (declaration !~ /{/ && (getline line) > 0) declaration = declaration " " line
    wanted = 0
    sub(/ *{.*/, "", declaration)
    gsub(/  +/, " ", declaration)
    gsub(/\( /, "(", declaration)
    gsub(/ \)/, ")", declaration)
    sub(/^ +/, "", declaration)
    is_extension = declaration ~ /^extension /
    if (!is_extension && !sub(/(^| )public /, " ", declaration)) next
    sub(/^ +/, "", declaration)
    declaration = "@available(*, unavailable) " declaration
    header = is_extension ? declaration : type_line
    sub(/ *{.*/, "", header)
    match(header, /(class|struct|enum|extension) [A-Za-z_][A-Za-z0-9_.]*/)
    type = substr(header, RSTART, RLENGTH)
    sub(/^[a-z]+ /, "", type)
    if (header !~ /(^| )extension /) header = "extension " type
    print type "\t1\t" header "\t" (is_extension ? "" : declaration)
}
