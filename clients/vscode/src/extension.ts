import * as vscode from "vscode";

import { chooseBackend } from "./choose";
import { Daemon, DaemonError } from "./daemon";
import { readSpawn } from "./spawn";
import { Terminals } from "./terminals";

interface OpenAnswer {
  results: { ok: boolean; error?: string; hint?: string; attach?: string; warnings?: string[] }[];
}

export function activate(context: vscode.ExtensionContext): void {
  const daemon = new Daemon(() => setting("program", "surfaced"));
  const terminals = new Terminals();
  context.subscriptions.push(
    daemon,
    terminals,
    vscode.commands.registerCommand("surfaced.openWorkspace", () => telling(() => open(daemon, terminals, {}))),
    vscode.commands.registerCommand("surfaced.openSelection", () =>
      telling(async () => {
        const editor = vscode.window.activeTextEditor;
        const shellCommand = editor?.document.getText(editor.selection);
        if (!shellCommand?.trim()) throw new Error("nothing is selected");
        await open(daemon, terminals, { shellCommand });
      }),
    ),
    vscode.window.registerUriHandler({ handleUri: (uri) => telling(() => handleUri(uri, terminals)) }),
  );
}

async function open(daemon: Daemon, terminals: Terminals, item: { shellCommand?: string }): Promise<void> {
  const backend = setting("backend", "") || (await chooseBackend(daemon));
  const { results } = await daemon.call<OpenAnswer>("open", { backend, items: [{ cwd: directory(), ...item }] });
  for (const { ok, error, hint, attach, warnings } of results) {
    if (!ok) throw new DaemonError("", error ?? "the surface did not open", hint);
    for (const warning of warnings ?? []) void vscode.window.showWarningMessage(warning);
    if (attach) await showAttach(attach, terminals);
  }
}

/** It did not open in front of the person: this line shows it. */
async function showAttach(attach: string, terminals: Terminals): Promise<void> {
  const chosen = await vscode.window.showInformationMessage(attach, "Show Here");
  if (chosen) await terminals.open({ command: attach });
}

/** The folder of the active editor's workspace, else the first one, else the file's directory; nothing: the daemon's default. */
function directory(): string | undefined {
  const active = vscode.window.activeTextEditor?.document.uri;
  const folder = (active && vscode.workspace.getWorkspaceFolder(active)) ?? vscode.workspace.workspaceFolders?.[0];
  if (folder?.uri.scheme === "file") return folder.uri.fsPath;
  return active?.scheme === "file" ? vscode.Uri.joinPath(active, "..").fsPath : undefined;
}

async function handleUri(uri: vscode.Uri, terminals: Terminals): Promise<void> {
  if (uri.path !== "/spawn") throw new Error(`no verb ${uri.path} is known`);
  const spawn = readSpawn(uri.query);
  if (spawn.command && setting("confirmSpawn", false)) {
    const where = spawn.cwd ? ` in ${spawn.cwd}` : "";
    const chosen = await vscode.window.showWarningMessage(`Open a terminal${where} and run this?`, { modal: true, detail: spawn.command }, "Run");
    if (chosen !== "Run") return;
  }
  await terminals.open(spawn);
}

/** Shows a failure to the person instead of the editor's own "command failed". */
async function telling(work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    const { message, hint } = error as DaemonError;
    void vscode.window.showErrorMessage(`surfaced: ${message}${hint ? ` (${hint})` : ""}`);
  }
}

function setting<T>(name: string, otherwise: T): T {
  return vscode.workspace.getConfiguration("surfaced").get(name, otherwise);
}
