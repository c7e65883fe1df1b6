/** Cuts a stream of bytes into lines. A line may come in any number of pieces. */
export class LineSplitter {
  #pieces: Buffer[] = [];

  /** The lines that this chunk completes, without their newlines. */
  push(chunk: Buffer): string[] {
    const lines: string[] = [];
    let start = 0;
    for (let end = chunk.indexOf(10); end !== -1; end = chunk.indexOf(10, start)) {
      this.#pieces.push(chunk.subarray(start, end));
      lines.push(Buffer.concat(this.#pieces).toString("utf8"));
      this.#pieces = [];
      start = end + 1;
    }
    if (start < chunk.length) this.#pieces.push(chunk.subarray(start));
    return lines;
  }
}
