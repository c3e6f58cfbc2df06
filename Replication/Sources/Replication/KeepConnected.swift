// Connecting again and again.
import Hiredis

/// Runs `body` with a connection, and again with a new one after each failure, until the task is canceled.
///
/// - Parameters:
///   - address: The server.
///   - interval: How long to wait after a failure.
///   - report: A function to call with each error.
///   - body: A function that works with the connection. If it throws a `ReplicationError`, there is no further attempt.
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
