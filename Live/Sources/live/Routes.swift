// The routes of the server.
import BoardModel
import HTTPTypes
import Hummingbird
import HummingbirdCore
import NIOCore

/// A request with its connection, which a stream of events may have to close.
struct ConnectionContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    let channel: any Channel
    /// The limit for the body of a request.
    var maxUploadSize: Int { 4_096 }

    init(source: ApplicationRequestContextSource) {
        coreContext = .init(source: source)
        channel = source.channel
    }
}

/// The text in the body of a request that changes something.
private func text(in request: Request, _ context: ConnectionContext) async throws -> String {
    struct Body: Decodable { let text: String }
    // A page of another origin can send a form without asking, but not JSON.
    guard request.headers[.contentType]?.hasPrefix("application/json") == true else {
        throw HTTPError(.unsupportedMediaType)
    }
    return try await request.decode(as: Body.self, context: context).text
}

/// The routes for the page, the events, and changes by clients.
func routes(of desk: Desk, _ journal: Journal) -> Router<ConnectionContext> {
    let router = Router(context: ConnectionContext.self)
    for path in ["/", "/board"] as [RouterPath] {
        router.get(path) { _, _ in
            Response(
                status: .ok,
                headers: [
                    .contentType: "text/html; charset=utf-8",
                    .contentSecurityPolicy: "default-src 'self' 'unsafe-inline'; frame-ancestors 'none'",
                ],
                body: .init(byteBuffer: ByteBuffer(bytes: PackageResources.board_html)))
        }
    }
    router.get("/events") { request, context in
        let number = HTTPField.Name("Last-Event-ID").flatMap { request.headers[$0] }.flatMap { Int($0) }
        let stream = EventStream(journal: journal, channel: context.channel)
        return Response(
            status: .ok, headers: [.contentType: "text/event-stream", .cacheControl: "no-store"],
            body: .init { try await stream.send(after: number, to: &$0, until: request.body) })
    }
    router.post("/cards") { request, context in
        guard try await desk.add(text(in: request, context)) else {
            throw HTTPError(.unprocessableContent, message: "The board is full, or the text is empty or too long.")
        }
        return HTTPResponse.Status.created
    }
    return router
}
