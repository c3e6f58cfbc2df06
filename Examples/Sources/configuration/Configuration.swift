// The settings of a server, each of which has a name.
import KeyValueCoding
import KeyValueObserving

final class Configuration: KeyValueCodable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var server = Server()
    @Observed var isVerbose = false

    static var keyPathsByKey: [String: AnyKeyPath] {
        ["server": \Configuration.server, "isVerbose": \Configuration.isVerbose]
    }

    /// Sets what a line such as `server.port = 8080` says.
    func apply(_ line: String) throws {
        let parts = line.split(separator: "=", maxSplits: 1).map { $0.trimmed }
        guard parts.count == 2 else { throw NotASetting(line: line) }
        try setValue(Self.value(parts[1]), forKeyPath: parts[0])
    }

    /// A number or a truth value, where the text is one: `setValue` does not convert texts.
    private static func value(_ text: String) -> Any {
        if let number = Int(text) { return number }
        return Bool(text) ?? text as Any
    }
}

final class Server: KeyValueCodable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var host = "localhost"
    @Observed var port: UInt16 = 80

    static var keyPathsByKey: [String: AnyKeyPath] { ["host": \Server.host, "port": \Server.port] }
}

struct NotASetting: Error, CustomStringConvertible {
    let line: String
    var description: String { "\"\(line)\" is no setting; write name = value" }
}

extension Substring {
    fileprivate var trimmed: String {
        String(drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
    }
}
