// Connecting again and again.
import Hiredis

/// Runs `body` with a connection, and again with another one when it fails, until the task is cancelled.
///
/// - Parameters:
///   - address: The server.
///   - interval: How long to wait after a failure.
///   - report: Is called with each error.
///   - body: Works with the connection. If it throws a `ReplicationError`, that is the end.
@MainActor
func keepConnected(
    to address: RedisAddress, _ interval: Duration, report: (any Error) -> Void,
    body: (RedisConnection) async throws -> Void
) async {
    while !Task.isCancelled {
        do {
            try await body(.connect(to: address))
        } catch is CancellationError {
            return
        } catch {
            report(error)
            if error is ReplicationError { return }
        }
        try? await Task.sleep(for: interval)
    }
}
