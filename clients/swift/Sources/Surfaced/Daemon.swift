import Foundation

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// Where the daemon is, and how it is started.
enum Daemon {
    /// As much as is needed of `daemon.json` and of what `surfaced ensure --json` prints.
    private struct Place: Decodable {
        var socket: String
    }

    /// Its home: `$SURFACED_HOME`, else a place under the home directory of the password database.
    static func home() -> String {
        if let given = ProcessInfo.processInfo.environment["SURFACED_HOME"], !given.isEmpty { return given }
        let person = getpwuid(getuid()).map { String(cString: $0.pointee.pw_dir) } ?? NSHomeDirectory()
        #if os(macOS)
        return person + "/Library/Application Support/surfaced"
        #else
        return person + "/.local/state/surfaced"
        #endif
    }

    /// The socket that the last daemon of this home wrote down. It may be gone.
    static func recordedSocket() -> String? {
        guard let data = FileManager.default.contents(atPath: home() + "/daemon.json") else { return nil }
        return (try? JSONDecoder().decode(Place.self, from: data))?.socket
    }

    /// Starts the daemon where none answers, waits out a drain, and returns the socket: `surfaced ensure --json`.
    static func ensure(_ program: String) async throws -> String {
        guard let path = find(program) else {
            throw SurfacedError(
                kind: .noDaemon, message: "no daemon answers and \(program) is not on PATH",
                hint: "install surfaced, or give its path as program")
        }
        return try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<String, any Error>) in
            Thread.detachNewThread { continuation.resume(with: Result { try run(path) }) }
        }
    }

    /// The path of a program. Applications that were not started from a shell have a short PATH.
    private static func find(_ program: String) -> String? {
        if program.contains("/") { return program }
        let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
        let places = path.split(separator: ":").map(String.init) + ["/opt/homebrew/bin", "/usr/local/bin"]
        return places.map { $0 + "/" + program }.first { FileManager.default.isExecutableFile(atPath: $0) }
    }

    private static func run(_ path: String) throws -> String {
        let process = Process()
        let output = Pipe()
        let errors = Pipe()
        process.executableURL = URL(fileURLWithPath: path)
        process.arguments = ["ensure", "--json"]
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = output
        process.standardError = errors
        try process.run()
        let printed = output.fileHandleForReading.readDataToEndOfFile()
        let said = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        if process.terminationStatus == 0, let place = try? JSONDecoder().decode(Place.self, from: printed) {
            return place.socket
        }
        func line(_ label: String) -> String? {
            said.split(separator: "\n").first { $0.hasPrefix(label) }.map { String($0.dropFirst(label.count)) }
        }
        throw SurfacedError(
            kind: .noDaemon, message: line("error: ") ?? "\(path) ensure failed: \(said)",
            hint: line("hint: ") ?? "run: surfaced doctor")
    }
}

extension Wire.Context {
    /// Where this process is. On macOS the system withholds our environment from the daemon, so it is sent.
    public static func current() -> Wire.Context {
        let process = ProcessInfo.processInfo
        return Wire.Context(
            env: process.environment, cwd: FileManager.default.currentDirectoryPath, pid: Int(process.processIdentifier))
    }
}
