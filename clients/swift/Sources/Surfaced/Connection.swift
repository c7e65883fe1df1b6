import Foundation

/// One connection: JSON-RPC, a message a line.
actor Connection {
    /// Who takes the items of a subscription: each as the line it came in, and whether it is the last.
    struct Sink: Sendable {
        let item: @Sendable (Data, Bool) -> Void
        let fail: @Sendable (any Error) -> Void
    }

    private struct Pending {
        let method: String
        let continuation: CheckedContinuation<Data, any Error>
        let sink: Sink?
    }

    private let socket: UnixSocket
    private var splitter = LineSplitter()
    private var pending: [Int: Pending] = [:]
    /// Cancelled requests whose answer is still to come, by their methods.
    private var abandoned: [Int: String] = [:]
    private var sinks: [Int: Sink] = [:]
    private var lastId = 0
    private var failure: SurfacedError?

    init(socket: UnixSocket) { self.socket = socket }

    deinit { socket.end() }

    /// Whether nothing can be asked any more.
    var isClosed: Bool { failure != nil }

    /// Begins to read. To be called once.
    func start() {
        let chunks = socket.chunks()
        Task { [weak self] in
            for await chunk in chunks { await self?.receive(chunk) }
            await self?.close(SurfacedError(kind: .connectionClosed, message: "the daemon closed the connection"))
        }
    }

    /// Asks, and answers with the result. Cancelling the task cancels the request.
    func call<Params: Encodable & Sendable, Answer: Decodable & Sendable>(_ method: String, _ params: Params) async throws -> Answer {
        try Reply<Answer>.answer(try await ask(method, params, sink: nil))
    }

    /// Subscribes. No item is lost between the answer and the first read.
    func subscribe<Params: Encodable & Sendable, Item: Decodable & Sendable>(
        _ method: String, _ params: Params
    ) async throws -> Subscription<Item> {
        let (stream, continuation) = AsyncThrowingStream<Item, any Error>.makeStream()
        let sink = Sink(
            item: { line, last in
                let item = Result { try JSONDecoder().decode(Notice<Item>.self, from: line).params.result }
                continuation.yield(with: item)
                if last { continuation.finish() }
            },
            fail: { error in continuation.finish(throwing: error) })
        let answer = try Reply<Wire.Subscribed>.answer(try await ask(method, params, sink: sink))
        let id = answer.subscription
        continuation.onTermination = { [weak self] reason in
            guard case .cancelled = reason, let connection = self else { return }
            Task { await connection.unsubscribe(method, id) }
        }
        return Subscription(id: id, stream: stream)
    }

    /// Ends the connection; what is pending fails with this error.
    func close(_ error: SurfacedError) {
        guard failure == nil else { return }
        failure = error
        socket.end()
        for one in pending.values {
            var told = error
            if error.kind == .connectionClosed { told.message += " before it answered \(one.method)" }
            one.continuation.resume(throwing: told)
        }
        for sink in sinks.values { sink.fail(error) }
        (pending, sinks) = ([:], [:])
    }

    private func ask<Params: Encodable & Sendable>(_ method: String, _ params: Params, sink: Sink?) async throws -> Data {
        if let failure { throw failure }
        lastId += 1
        let id = lastId
        let line = try Request(id: id, method: method, params: params).line()
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Data, any Error>) in
                pending[id] = Pending(method: method, continuation: continuation, sink: sink)
                socket.write(line)
            }
        } onCancel: {
            Task { await self.cancel(id) }
        }
    }

    private func cancel(_ id: Int) {
        guard let waiting = pending.removeValue(forKey: id) else { return }
        abandoned[id] = waiting.method
        notify("$/cancelRequest", ["id": id])
        waiting.continuation.resume(throwing: CancellationError())
    }

    private func unsubscribe(_ method: String, _ subscription: Int) {
        if failure == nil, sinks.removeValue(forKey: subscription) != nil { end(method, subscription) }
    }

    /// A notification is enough: nothing depends on the answer.
    private func end(_ method: String, _ subscription: Int) {
        if let ending = streamEnds[method] { notify(ending, ["subscription": subscription]) }
    }

    private func notify(_ method: String, _ params: [String: Int]) {
        if let line = try? Request(id: nil, method: method, params: params).line() { socket.write(line) }
    }

    private func receive(_ chunk: Data) {
        for line in splitter.push(chunk) where failure == nil {
            if let envelope = try? JSONDecoder().decode(Envelope.self, from: line) {
                deliver(envelope, line)
            } else if (try? JSONDecoder().decode(JSONValue.self, from: line)) == nil {
                close(SurfacedError(kind: .connectionClosed, message: "the daemon sent something that is not JSON"))
            }
        }
    }

    private func deliver(_ envelope: Envelope, _ line: Data) {
        if envelope.method != nil {
            guard let id = envelope.params?.subscription, let sink = sinks[id] else { return }
            let last = envelope.params?.result?.type == "end"
            if last { sinks[id] = nil }
            sink.item(line, last)
            return
        }
        guard let id = envelope.id else { return }
        let subscription = { (try? Reply<Wire.Subscribed>.answer(line))?.subscription }
        if let waiting = pending.removeValue(forKey: id) {
            if let sink = waiting.sink, let number = subscription() { sinks[number] = sink }
            waiting.continuation.resume(returning: line)
        } else if let method = abandoned.removeValue(forKey: id), streamEnds[method] != nil, let number = subscription() {
            // It crossed its cancellation; nobody holds this subscription.
            end(method, number)
        }
    }
}

/// Items of a subscription as they come: `for try await item in subscription`.
///
/// The last item is `.end`. A lost connection throws. Dropping the subscription unsubscribes.
public struct Subscription<Item: Sendable>: AsyncSequence, Sendable {
    public typealias Element = Item
    public typealias AsyncIterator = AsyncThrowingStream<Item, any Error>.Iterator

    /// Its number on the connection.
    public let id: Int
    let stream: AsyncThrowingStream<Item, any Error>

    public func makeAsyncIterator() -> AsyncIterator { stream.makeAsyncIterator() }
}
