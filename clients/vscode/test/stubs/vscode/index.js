// What the extension uses of `vscode`, with a record of what it did. `reset` begins anew.

const record = { terminals: [], commands: {}, executed: [], messages: [], settings: {}, answer: undefined, uriHandler: undefined, closed: [] };

function message(kind) {
  return async (text, ...rest) => {
    record.messages.push({ kind, text, rest });
    return record.answer;
  };
}

class Uri {
  constructor(scheme, path, query = "") {
    Object.assign(this, { scheme, path, query, fsPath: path });
  }
  static joinPath(uri, up) {
    return new Uri(uri.scheme, require("node:path").join(uri.path, up));
  }
}

const vscode = {
  Uri,
  ViewColumn: { Active: -1, Beside: -2 },
  window: {
    activeTextEditor: undefined,
    createTerminal(options) {
      const terminal = { options, sent: [], shown: 0, show: () => (terminal.shown += 1), sendText: (text, enter) => terminal.sent.push({ text, enter }) };
      record.terminals.push(terminal);
      return terminal;
    },
    onDidCloseTerminal(listener) {
      record.closed.push(listener);
      return { dispose() {} };
    },
    registerUriHandler(handler) {
      record.uriHandler = handler;
      return { dispose() {} };
    },
    showErrorMessage: message("error"),
    showWarningMessage: message("warning"),
    showInformationMessage: message("information"),
  },
  commands: {
    registerCommand(name, run) {
      record.commands[name] = run;
      return { dispose() {} };
    },
    async executeCommand(name) {
      record.executed.push(name);
    },
  },
  workspace: {
    workspaceFolders: undefined,
    getWorkspaceFolder: () => undefined,
    getConfiguration: () => ({ get: (name, otherwise) => record.settings[name] ?? otherwise }),
  },
  record,
  reset() {
    Object.assign(record, { terminals: [], commands: {}, executed: [], messages: [], settings: {}, answer: undefined, closed: [] });
    vscode.window.activeTextEditor = undefined;
    vscode.workspace.workspaceFolders = undefined;
  },
};

module.exports = vscode;
