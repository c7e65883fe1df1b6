import Foundation

/// A failed call. Branch on `kind`; show `message` and `hint`.
public struct SurfacedError: LocalizedError, Hashable, Sendable {
    /// What went wrong, as a word.
    public var kind: Wire.Kind
    /// One sentence for people.
    public var message: String
    /// What the person can do next.
    public var hint: String?
    /// The JSON-RPC code; absent where no reply came.
    public var code: Int?
    /// Which parameter is meant, such as `items[2].cwd`.
    public var path: String?
    /// More facts, in a shape that depends on the kind.
    public var detail: JSONValue?

    static func nothingAnswers(_ path: String) -> SurfacedError {
        SurfacedError(kind: .noDaemon, message: "nothing answers at \(path)", hint: "run: surfaced ensure")
    }

    public var errorDescription: String? { hint.map { "\(message) (\($0))" } ?? message }
}

extension Wire.Kind {
    /// The connection ended before the answer came. What was asked may or may not have been done.
    public static let connectionClosed = Wire.Kind(rawValue: "connection-closed")
    /// No daemon answers and none could be started.
    public static let noDaemon = Wire.Kind(rawValue: "no-daemon")
}
