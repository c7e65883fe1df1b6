import Foundation

/// Cuts a stream of bytes into lines. A line may come in any number of pieces.
struct LineSplitter {
    private var rest = Data()

    /// The lines that this chunk completes, without their newlines.
    mutating func push(_ chunk: Data) -> [Data] {
        var lines: [Data] = []
        var start = chunk.startIndex
        while let end = chunk[start...].firstIndex(of: 0x0A) {
            rest.append(chunk[start..<end])
            lines.append(rest)
            rest = Data()
            start = chunk.index(after: end)
        }
        rest.append(chunk[start...])
        return lines
    }
}

/// What is sent: a request, or without `id` a notification.
struct Request<Params: Encodable>: Encodable {
    let jsonrpc = "2.0"
    let id: Int?
    let method: String
    let params: Params

    /// One message, one line.
    func line() throws -> Data {
        var data = try JSONEncoder().encode(self)
        data.append(0x0A)
        return data
    }
}

/// As much of a received message as is needed to see whose it is.
struct Envelope: Decodable {
    var id: Int?
    var method: String?
    var params: Params?

    struct Params: Decodable {
        var subscription: Int?
        var result: Item?
    }
    struct Item: Decodable { var type: String? }
}

/// An item of a subscription.
struct Notice<Item: Decodable>: Decodable {
    var params: Params
    struct Params: Decodable { var result: Item }
}

/// A reply, whatever shape a daemon of another version gave its error.
struct Reply<Answer: Decodable>: Decodable {
    var result: Answer?
    var error: Failure?

    struct Failure: Decodable {
        var code: Int?
        var message: String?
        var data: Facts?
    }
    struct Facts: Decodable {
        var kind, hint, path: String?
        var detail: JSONValue?
    }

    /// The result, or the error thrown.
    static func answer(_ line: Data) throws -> Answer {
        let reply = try JSONDecoder().decode(Reply<Answer>.self, from: line)
        if let error = reply.error {
            throw SurfacedError(
                kind: Wire.Kind(rawValue: error.data?.kind ?? "internal"),
                message: error.message ?? "the daemon sent an error without a message",
                hint: error.data?.hint, code: error.code, path: error.data?.path, detail: error.data?.detail)
        }
        guard let result = reply.result else {
            throw SurfacedError(kind: .internal, message: "the daemon sent a reply without a result")
        }
        return result
    }
}
