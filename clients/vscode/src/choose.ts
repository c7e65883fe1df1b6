import type { Daemon } from "./daemon";

interface Choice {
  backend?: string | null;
}

/** The person's terminal, seen from an editor: not the editor's own terminals, which is where the daemon sees this process.
 *
 * Where their sessions run, else the first that is installed; nothing where there is none, and then the daemon hosts it. */
export async function chooseBackend(daemon: Daemon): Promise<string> {
  const { backends } = await daemon.call<{ backends: { id: string; available: boolean }[] }>("backends");
  const { sessions } = await daemon.call<{ sessions: object[] }>("sessions");
  const apps = backends.filter(({ id, available }) => available && !id.endsWith("-agent") && id !== "builtin").map(({ id }) => id);
  const platform = process.platform === "darwin" ? "darwin" : "linux";
  const { backend } = await daemon.call<Choice>("resolveBackend", { context: { platform, apps }, sessions });
  return backend ?? "builtin";
}
