import BenchSupport

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A log of many lines, of which one in a thousand holds the word that is looked for.
func writeLog(to path: String, megabytes: Int) throws {
    guard let file = fopen(path, "w") else { throw BenchError("\(path) cannot be made") }
    defer { fclose(file) }
    var block: [UInt8] = []
    var number = 0
    var written = 0
    while written + (2 << 20) <= megabytes << 20 {
        block.removeAll(keepingCapacity: true)
        while block.count < 1 << 20 {
            number += 1
            let said = number % 1000 == 0 ? "gateway north refused the card" : "payment took \(number % 997) ms"
            let second = number / 1000 % 60, minute = number / 60_000 % 60
            let time = "2026-11-21T09:\(minute / 10)\(minute % 10):\(second / 10)\(second % 10).\(100_000 + number % 900_000)Z"
            block += Array("\(time) info     Checkout/Cart.swift:\(number % 300) pay(): \(said)\tgateway=north attempt=\(number % 7)\n".utf8)
        }
        written += fwrite(block, 1, block.count, file)
    }
}

/// Both must have found the same lines.
func check(_ ours: String, _ theirs: String) throws {
    do { _ = try measure(["cmp", ours, theirs]) } catch { throw BenchError("the outputs differ: \(ours), \(theirs)") }
}

let arguments = CommandLine.arguments
guard arguments.count == 5, let megabytes = Int(arguments[3]), let rounds = Int(arguments[4]), megabytes > 0, rounds > 0 else {
    print("usage: FileBench LOGBOOK FOLDER MEGABYTES ROUNDS")
    exit(64)
}
let logbook = arguments[1]
let folder = makeFolder("file-bench", in: arguments[2])

func shell(_ command: String) throws { _ = try measure(["/bin/sh", "-c", command]) }

func run() throws -> [Row] {
    var rows: [Row] = []
    let word = "gateway north refused"
    func path(_ name: String) -> String { "\(folder)/\(name)" }

    // Reading: everything that holds a text.
    try shell("mkdir '\(folder)/text' '\(folder)/gzip' '\(folder)/small' '\(folder)/ship'")
    try writeLog(to: path("text/app.log"), megabytes: megabytes)
    try shell("cd '\(folder)/gzip' && split -C \(max(1, megabytes / 16))m -d -a 2 ../text/app.log part && gzip -1 part*")
    try shell(
        "cd '\(folder)/gzip' && n=1; for f in part*; do mv $f app-$(printf %08d $n)-20261121T0900$(printf %02d $n).000Z.log.gz; n=$((n+1)); done")
    var tails: [Double] = [], greps: [Double] = [], compressed: [Double] = [], zcats: [Double] = [], plain: [Double] = []
    for _ in 0..<rounds {
        tails.append(try measure([logbook, "tail", path("text"), "--all", "--text", word], output: path("ours")).seconds)
        greps.append(try measure(["grep", "-F", word, path("text/app.log")], output: path("theirs")).seconds)
        try check(path("ours"), path("theirs"))
        compressed.append(try measure([logbook, "tail", path("gzip"), "--all", "--text", word], output: path("ours")).seconds)
        zcats.append(
            try measure(["/bin/sh", "-c", "zcat '\(folder)'/gzip/*.gz | grep -F '\(word)'"], output: path("theirs")).seconds)
        try check(path("ours"), path("theirs"))
        plain.append(try measure([logbook, "tail", path("text"), "--text", word], output: path("ours")).seconds)
    }
    rows.append(.speed("logbook tail --all --text, against grep", atLeast: 0.5, ours: tails, theirs: greps))
    rows.append(.speed("logbook tail --text, the last ten, against grep", atLeast: 0.5, ours: plain, theirs: greps))
    rows.append(.speed("logbook tail over gzip, against zcat | grep", atLeast: 0.8, ours: compressed, theirs: zcats))
    try shell("rm -r '\(folder)/gzip'")

    // Uploading, to the same receiver.
    let environment = ["LOGBOOK_TOKEN": "a=b"]
    let collector = try Program(
        [logbook, "collect", "--allow-root", "--archive", "sqlite:\(folder)/archive.sqlite", "--port", "0", "--files", path("received")],
        environment: environment, output: path("collector"))
    var url = ""
    for _ in 0..<1000 where url.isEmpty {
        usleep(10_000)
        url = text(of: path("collector")).split(separator: "\n").first?.split(separator: " ").last.map(String.init) ?? ""
    }
    guard url.hasPrefix("http://") else { throw BenchError("the collector did not start") }
    func ship(_ log: String, _ more: String...) throws -> (seconds: Double, memory: Int) {
        try measure([logbook, "ship", path(log), "--to", url, "--collector"] + more, environment: environment)
    }
    func curl(_ files: String, _ address: String) throws -> Double {
        try measure([
            "curl", "-sS", "--fail", "-T", files, "-H", "Authorization: Bearer a=b", "-H", "Expect:", "\(url)/v1/files/\(address)",
        ]).seconds
    }
    try writeLog(to: path("small/app.log"), megabytes: 1)
    let least = try ship("small", "--roll").memory
    let before = collector.mostMemory
    var ours: [Double] = [], theirs: [Double] = [], memory = 0
    for round in 0..<rounds {
        try shell("cp '\(folder)/text/app.log' '\(folder)/ship/app.log' && sync -f '\(folder)/ship'")
        let shipped = try ship("ship", "--roll")
        ours.append(shipped.seconds)
        memory = max(memory, shipped.memory - least)
        try shell("cd '\(folder)/received' && cmp \"$(ls -S | head -1)\" ../text/app.log && rm -f *")
        theirs.append(try curl(path("text/app.log"), "curl-\(round)"))
        try shell("rm -f '\(folder)'/received/*")
    }
    rows.append(.speed("logbook ship of one file, against curl -T", atLeast: 0.8, ours: ours, theirs: theirs))
    rows.append(.memory("memory that a file of \(megabytes) MiB adds to ship", atMost: 16, memory))
    rows.append(.memory("memory that it adds to the collector", atMost: 16, collector.mostMemory - before))

    // A log of four files: while one is sent, the next is hashed.
    try shell("cd '\(folder)/text' && split -C \(max(1, megabytes / 4))m -d -a 1 app.log quarter")
    ours = []
    theirs = []
    for _ in 0..<rounds {
        for quarter in 0..<4 {
            try shell("cp '\(folder)/text/quarter\(quarter)' '\(folder)/ship/app.log'")
            // Nobody is there: it only rolls, and says with 75 that nothing was received.
            try shell("'\(logbook)' ship '\(folder)/ship' --to http://127.0.0.1:1/ --deadline 0 --roll 2>/dev/null || test $? = 75")
        }
        ours.append(try ship("ship").seconds)
        try shell("cd '\(folder)/received' && test $(ls | wc -l) = 4 && rm -f *")
        theirs.append(try curl(path("text/quarter[0-3]"), ""))
        try shell("cd '\(folder)/received' && test $(ls | wc -l) = 4 && rm -f *")
    }
    rows.append(.speed("logbook ship of four files, against curl -T", atLeast: 0.8, ours: ours, theirs: theirs))
    return rows
}

finish("FileBench", removing: folder, run)
