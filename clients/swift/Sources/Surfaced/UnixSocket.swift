import Dispatch
import Foundation

#if canImport(Glibc)
import Glibc
/// A write to a closed connection is an error and no signal (MSG_NOSIGNAL).
private let sendFlags: Int32 = 0x4000
#else
import Darwin
private let sendFlags: Int32 = 0
#endif

/// SOCK_STREAM, which the systems import as different types.
private let streamType: Int32 = 1

// The methods below have the names of system calls, which these make reachable.
private func systemClose(_ descriptor: Int32) { _ = close(descriptor) }
private func systemShutdown(_ descriptor: Int32) { _ = shutdown(descriptor, Int32(SHUT_RDWR)) }

/// A connected Unix socket. Reading has a thread and writing a queue, so that neither blocks a task.
final class UnixSocket: @unchecked Sendable {
    private let descriptor: Int32
    private let writer = DispatchQueue(label: "surfaced.write")

    /// Takes over a connected descriptor.
    init(descriptor: Int32) {
        self.descriptor = descriptor
        #if canImport(Darwin)
        var yes: Int32 = 1
        _ = setsockopt(descriptor, SOL_SOCKET, SO_NOSIGPIPE, &yes, socklen_t(MemoryLayout<Int32>.size))
        #endif
    }

    /// Connects.
    convenience init(path: String) throws {
        let refused = SurfacedError.nothingAnswers(path)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = Array(path.utf8)
        let room = MemoryLayout.size(ofValue: address.sun_path)
        guard bytes.count < room else { throw refused }
        withUnsafeMutableBytes(of: &address.sun_path) { buffer in buffer.copyBytes(from: bytes) }
        let descriptor = socket(AF_UNIX, streamType, 0)
        guard descriptor >= 0 else { throw refused }
        let size = MemoryLayout<sockaddr_un>.size
        let status = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(descriptor, $0, socklen_t(size)) }
        }
        self.init(descriptor: descriptor)
        if status != 0 { throw refused }
    }

    // Only now does nobody read or write any more: a closed descriptor's number is soon another file's.
    deinit { systemClose(descriptor) }

    /// What is received, in order, until the connection ends. To be called once.
    func chunks() -> AsyncStream<Data> {
        let (stream, continuation) = AsyncStream<Data>.makeStream()
        Thread.detachNewThread { [self] in
            let size = 65536
            var buffer = [UInt8](repeating: 0, count: size)
            while true {
                let count = recv(descriptor, &buffer, size, 0)
                if count > 0 { continuation.yield(Data(buffer[0..<count])) } else if count == 0 || errno != EINTR { break }
            }
            continuation.finish()
        }
        return stream
    }

    /// Sends these bytes after all earlier ones. Where that fails, the reader sees the end of the connection.
    func write(_ data: Data) {
        writer.async { [self] in
            var sent = 0
            while sent < data.count {
                let count = data.withUnsafeBytes { send(descriptor, $0.baseAddress! + sent, data.count - sent, sendFlags) }
                if count > 0 { sent += count } else if errno != EINTR { return end() }
            }
        }
    }

    /// Ends the connection in both directions.
    func end() { systemShutdown(descriptor) }
}
