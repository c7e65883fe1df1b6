/** An argv without its `--terminal`, and what that said. */
export interface TerminalFlag {
  /** Whether it was there. */
  terminal: boolean;
  /** The backend that it named. */
  backend?: string;
  /** The other words. */
  argv: string[];
}

/** Takes `--terminal`, `--terminal X` and `--terminal=X` out of an argv, up to `--`.
 *
 * X is taken unless it begins with `-`; the last one counts. */
export function readTerminalFlag(argv: readonly string[]): TerminalFlag {
  const found: TerminalFlag = { terminal: false, argv: [] };
  for (let at = 0; at < argv.length; at += 1) {
    const word = argv[at] as string;
    if (word === "--") {
      found.argv.push(...argv.slice(at));
      break;
    }
    if (word !== "--terminal" && !word.startsWith("--terminal=")) {
      found.argv.push(word);
      continue;
    }
    found.terminal = true;
    delete found.backend;
    const next = argv[at + 1];
    if (word.startsWith("--terminal=")) {
      found.backend = word.slice("--terminal=".length);
    } else if (next !== undefined && !next.startsWith("-")) {
      found.backend = next;
      at += 1;
    }
  }
  return found;
}

/** The argv that a terminal re-invokes: the caller's own without `--terminal`. */
export function stripTerminalFlag(argv: readonly string[]): string[] {
  return readTerminalFlag(argv).argv;
}
