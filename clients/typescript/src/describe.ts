import type { ResolveResult } from "./protocol.js";

/** What is known of a choice: `resolveBackend`'s answer, or only its backend, source and host. */
export type BackendChoice = Partial<Pick<ResolveResult, "backend" | "source" | "host" | "description">>;

const LABELS = new Map<string, string>([
  ["iterm", "iTerm"],
  ["ghostty", "Ghostty"],
  ["tmux", "tmux"],
  ["vscodium-agent", "VSCodium"],
  ["cursor-agent", "Cursor"],
  ["vscode-agent", "VS Code"],
  ["kitty", "kitty"],
  ["wezterm", "WezTerm"],
  ["zellij", "Zellij"],
  ["konsole", "Konsole"],
  ["gnome-terminal", "GNOME Terminal"],
  ["terminal", "Terminal"],
]);

/** One line for people: the terminal and why it was chosen, such as `Ghostty (where your ghostty sessions run)`. */
export function describeBackendChoice(choice: BackendChoice): string {
  if (choice.description) return choice.description;
  const { backend } = choice;
  if (!backend) return "no terminal (none can be driven here: start tmux)";
  return `${LABELS.get(backend) ?? backend} (${reason(choice)})`;
}

function reason({ source, host, backend }: BackendChoice): string {
  switch (source) {
    case "forced":
      return "you asked for it";
    case "current-terminal":
      return "the terminal you're in";
    case "active-session":
      return `where your ${host ?? backend} sessions run`;
    case "available":
      return "no running session named a terminal";
    case "remote-default":
      return "the default on a host";
    case "headless":
      return "no visible terminal can be driven here";
    default:
      return source ?? "no reason given";
  }
}
