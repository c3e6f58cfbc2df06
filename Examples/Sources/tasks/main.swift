// Three downloads at once. In which order they end is not known; what the bar shows is.
import KeyValueObserving

let downloads = Downloads()
let bar = ProgressBar()
bar.show(downloads)
await downloads.start(["a.txt", "longer.txt", "b.txt"]) { name in
    await Task.yield()
    return name.count
}
for line in bar.lines { print(line) }
print("\(downloads.sizes.values.reduce(0, +)) bytes")
