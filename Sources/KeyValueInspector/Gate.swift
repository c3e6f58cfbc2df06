// Which requests the inspector answers.
#if Inspector
import FlyingFox
import Foundation

/// The secret in the inspector's address.
enum Token {
    /// Returns 128 random bits as text.
    static func random() -> String {
        var generator = SystemRandomNumberGenerator()
        let halves = (0..<2).map { _ in String(generator.next() as UInt64, radix: 16) }
        return halves.map { String(repeating: "0", count: 16 - $0.count) + $0 }.joined()
    }

    /// Compares without stopping at the first difference.
    static func isEqual(_ one: String, _ other: String) -> Bool {
        let (one, other) = (Array(one.utf8), Array(other.utf8))
        guard one.count == other.count else { return false }
        return zip(one, other).reduce(0 as UInt8) { $0 | ($1.0 ^ $1.1) } == 0
    }
}

/// Answers requests of the inspector's own page, and refuses all others.
struct Gate: HTTPHandler {
    let token: String
    let page: any HTTPHandler
    let events: any HTTPHandler

    func handleRequest(_ request: HTTPRequest) async throws -> HTTPResponse {
        if let reason = refusal(of: request) { return Self.text(.forbidden, reason) }
        guard request.method == .GET else { return Self.text(.methodNotAllowed, "Only GET is answered.") }
        switch request.path {
        case "/": return try await page.handleRequest(request)
        case "/events": return try await events.handleRequest(request)
        default: return Self.text(.notFound, "There is only the page itself.")
        }
    }

    /// The reason to refuse a request; nil to answer it.
    private func refusal(of request: HTTPRequest) -> String? {
        // Another host name could belong to a foreign page that resolves it to this machine.
        guard let host = request.headers[.host], Self.isLoopback(host) else {
            return "The host must be 127.0.0.1 or localhost."
        }
        if let origin = request.headers[HTTPHeader("Origin")], origin != "http://\(host)" {
            return "Requests from other origins are refused."
        }
        let tokens = request.query.filter { $0.name == "token" }
        guard tokens.count == 1, let given = tokens.first, Token.isEqual(given.value, token) else {
            return "Open the address that the program printed, with its token."
        }
        return nil
    }

    private static func isLoopback(_ host: String) -> Bool {
        let parts = host.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count <= 2, parts.count == 1 || UInt16(parts[1]) != nil else { return false }
        return parts[0] == "127.0.0.1" || parts[0] == "localhost"
    }

    private static func text(_ status: HTTPStatusCode, _ text: String) -> HTTPResponse {
        HTTPResponse(
            statusCode: status, headers: [.contentType: "text/plain; charset=utf-8"], body: Data((text + "\n").utf8))
    }
}

/// Answers with the page.
struct PageHandler: HTTPHandler {
    func handleRequest(_ request: HTTPRequest) async throws -> HTTPResponse {
        HTTPResponse(
            statusCode: .ok,
            headers: [
                .contentType: "text/html; charset=utf-8",
                HTTPHeader("Cache-Control"): "no-store",
                HTTPHeader("Referrer-Policy"): "no-referrer",
                HTTPHeader("X-Content-Type-Options"): "nosniff",
                // The page loads nothing from other hosts, and no other page can embed it.
                HTTPHeader("Content-Security-Policy"): """
                default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; connect-src 'self'; \
                img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'
                """,
            ],
            body: Data(Page.html.utf8))
    }
}
#endif
