import * as vscode from "vscode";

import type { Spawn } from "./spawn";

/** Terminals in the editor area, as spawn URLs open them. A split goes beside the one that was opened before. */
export class Terminals implements vscode.Disposable {
  #last: vscode.Terminal | undefined;
  readonly #closed = vscode.window.onDidCloseTerminal((terminal) => {
    if (terminal === this.#last) this.#last = undefined;
  });

  async open({ command, cwd, split, agent, title }: Spawn): Promise<vscode.Terminal> {
    const terminal = vscode.window.createTerminal({
      name: title ?? agent,
      cwd,
      location: await this.#place(split),
    });
    this.#last = terminal;
    terminal.show();
    if (command) terminal.sendText(command, true);
    return terminal;
  }

  dispose(): void {
    this.#closed.dispose();
  }

  async #place(split: Spawn["split"]): Promise<vscode.TerminalOptions["location"]> {
    if (!this.#last || !split) return { viewColumn: vscode.ViewColumn.Active };
    if (split === "right") return { parentTerminal: this.#last };
    // There is no location below: make a group there, which becomes the active one.
    this.#last.show();
    await vscode.commands.executeCommand("workbench.action.newGroupBelow");
    return { viewColumn: vscode.ViewColumn.Active };
  }
}
