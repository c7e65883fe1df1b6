import Foundation
import XCTest

@testable import Surfaced

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// The other end of a connection, played by the test: what it gets, and what it sends back.
final class Scripted: @unchecked Sendable {
    let connection: Connection
    private let peer: UnixSocket

    /// `answer` gives the lines to send for each line that was received.
    init(answer: @escaping @Sendable (JSONValue) -> [String]) async throws {
        var descriptors: [Int32] = [0, 0]
        let status = socketpair(AF_UNIX, 1, 0, &descriptors)
        guard status == 0 else { throw SurfacedError(kind: .internal, message: "no socket pair") }
        connection = Connection(socket: UnixSocket(descriptor: descriptors[0]))
        peer = UnixSocket(descriptor: descriptors[1])
        await connection.start()
        let socket = peer
        let chunks = socket.chunks()
        Task {
            var splitter = LineSplitter()
            for await chunk in chunks {
                for line in splitter.push(chunk) {
                    let request = try JSONDecoder().decode(JSONValue.self, from: line)
                    for reply in answer(request) { socket.write(Data((reply + "\n").utf8)) }
                }
            }
        }
    }

    func hangUp() {
        peer.end()
    }
}

extension JSONValue {
    subscript(_ name: String) -> JSONValue? {
        if case .object(let members) = self { return members[name] }
        return nil
    }

    var text: String? {
        if case .string(let value) = self { return value }
        return nil
    }

    var items: [JSONValue]? {
        if case .array(let value) = self { return value }
        return nil
    }

    /// Compact JSON.
    var line: String {
        guard let data = try? JSONEncoder().encode(self) else { return "" }
        return String(decoding: data, as: UTF8.self)
    }

    /// Whether this is as expected: it may hold more, and "<text>" is any text.
    func holds(_ expected: JSONValue) -> Bool {
        switch (self, expected) {
        case (.string(let value), .string("<text>")):
            return !value.isEmpty
        case (.array(let mine), .array(let theirs)):
            return mine.count == theirs.count && zip(mine, theirs).allSatisfy { $0.holds($1) }
        case (.object(let mine), .object(let theirs)):
            return theirs.allSatisfy { name, member in (mine[name] ?? .null).holds(member) }
        default:
            return self == expected
        }
    }
}
