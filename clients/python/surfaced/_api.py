# Generated from schema/openrpc.json by clients/generate/generate.mjs. Do not edit.
"""One typed method for each RPC. Names are those of the wire in snake case; parameters keep their names."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Dict, List, Literal, Mapping, Optional, overload

from .protocol import *  # noqa: F403

if TYPE_CHECKING:
    from ._aio import AsyncSubscription
    from ._sync import Subscription

#: The method that ends a subscription of another.
STREAM_ENDS: Dict[str, str] = {
    "open.subscribe": "open.unsubscribe",
    "terminal.attach": "terminal.detach",
    "events.subscribe": "events.unsubscribe",
}


def _given(**params: Any) -> Dict[str, Any]:
    return {name: value for name, value in params.items() if value is not None}


class Api:
    """The methods, blocking."""

    def call(self, method: str, params: Optional[Mapping[str, Any]] = None, *, timeout: Optional[float] = None) -> Any:
        raise NotImplementedError

    def subscribe(self, method: str, params: Optional[Mapping[str, Any]] = None, *, timeout: Optional[float] = None) -> Any:
        raise NotImplementedError

    def plan(
        self,
        *,
        items: Optional[List[Item]] = None,
        count: Optional[int] = None,
        packing: Optional[Packing] = None,
        backend: Optional[BackendId] = None,
        host: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> PlanResult:
        """How a batch of surfaces is laid out. Pure."""
        return self.call("plan", _given(items=items, count=count, packing=packing, backend=backend, host=host), timeout=timeout)  # type: ignore[no-any-return]

    def build(
        self,
        *,
        items: List[Item],
        backend: Optional[BackendId] = None,
        host: Optional[str] = None,
        packing: Optional[Packing] = None,
        context: Optional[Context] = None,
        shell: Optional[str] = None,
        handles: Optional[bool] = None,
        timeout: Optional[float] = None,
    ) -> BuildResult:
        """The exact commands that open would run; opens nothing."""
        return self.call("build", _given(items=items, backend=backend, host=host, packing=packing, context=context, shell=shell, handles=handles), timeout=timeout)  # type: ignore[no-any-return]

    @overload
    def open(
        self,
        *,
        items: List[Item],
        dryRun: Literal[True],
        backend: Optional[BackendId] = None,
        host: Optional[str] = None,
        packing: Optional[Packing] = None,
        context: Optional[Context] = None,
        shell: Optional[str] = None,
        handles: Optional[bool] = None,
        staggerMs: Optional[int] = None,
        focus: Optional[bool] = None,
        key: Optional[str] = None,
        startTimeoutMs: Optional[int] = None,
        timeout: Optional[float] = None,
    ) -> BuildResult: ...
    @overload
    def open(
        self,
        *,
        items: List[Item],
        backend: Optional[BackendId] = None,
        host: Optional[str] = None,
        packing: Optional[Packing] = None,
        context: Optional[Context] = None,
        shell: Optional[str] = None,
        handles: Optional[bool] = None,
        staggerMs: Optional[int] = None,
        focus: Optional[bool] = None,
        key: Optional[str] = None,
        dryRun: Optional[Literal[False]] = None,
        startTimeoutMs: Optional[int] = None,
        timeout: Optional[float] = None,
    ) -> OpenAnswerResults: ...
    @overload
    def open(
        self,
        *,
        items: List[Item],
        backend: Optional[BackendId] = None,
        host: Optional[str] = None,
        packing: Optional[Packing] = None,
        context: Optional[Context] = None,
        shell: Optional[str] = None,
        handles: Optional[bool] = None,
        staggerMs: Optional[int] = None,
        focus: Optional[bool] = None,
        key: Optional[str] = None,
        dryRun: Optional[bool] = None,
        startTimeoutMs: Optional[int] = None,
        timeout: Optional[float] = None,
    ) -> OpenAnswer: ...
    def open(
        self,
        *,
        items: List[Item],
        backend: Optional[BackendId] = None,
        host: Optional[str] = None,
        packing: Optional[Packing] = None,
        context: Optional[Context] = None,
        shell: Optional[str] = None,
        handles: Optional[bool] = None,
        staggerMs: Optional[int] = None,
        focus: Optional[bool] = None,
        key: Optional[str] = None,
        dryRun: Optional[bool] = None,
        startTimeoutMs: Optional[int] = None,
        timeout: Optional[float] = None,
    ) -> OpenAnswer:
        """Opens surfaces where the person works; failures of items are results."""
        return self.call("open", _given(items=items, backend=backend, host=host, packing=packing, context=context, shell=shell, handles=handles, staggerMs=staggerMs, focus=focus, key=key, dryRun=dryRun, startTimeoutMs=startTimeoutMs), timeout=timeout)  # type: ignore[no-any-return]

    def open_subscribe(
        self,
        *,
        items: List[Item],
        backend: Optional[BackendId] = None,
        host: Optional[str] = None,
        packing: Optional[Packing] = None,
        context: Optional[Context] = None,
        shell: Optional[str] = None,
        handles: Optional[bool] = None,
        staggerMs: Optional[int] = None,
        focus: Optional[bool] = None,
        key: Optional[str] = None,
        dryRun: Optional[bool] = None,
        startTimeoutMs: Optional[int] = None,
        timeout: Optional[float] = None,
    ) -> Subscription[OpenItem]:
        """As open; each result is sent when it is known."""
        return self.subscribe("open.subscribe", _given(items=items, backend=backend, host=host, packing=packing, context=context, shell=shell, handles=handles, staggerMs=staggerMs, focus=focus, key=key, dryRun=dryRun, startTimeoutMs=startTimeoutMs), timeout=timeout)  # type: ignore[no-any-return]

    def open_unsubscribe(
        self,
        *,
        subscription: int,
        timeout: Optional[float] = None,
    ) -> Empty:
        """Ends a subscription of open.subscribe."""
        return self.call("open.unsubscribe", _given(subscription=subscription), timeout=timeout)  # type: ignore[no-any-return]

    def resolve_backend(
        self,
        *,
        context: Optional[Context] = None,
        sessions: Optional[List[SessionSample]] = None,
        forced: Optional[BackendId] = None,
        headless: Optional[bool] = None,
        timeout: Optional[float] = None,
    ) -> ResolveResult:
        """Which terminal a surface would open in, and why."""
        return self.call("resolveBackend", _given(context=context, sessions=sessions, forced=forced, headless=headless), timeout=timeout)  # type: ignore[no-any-return]

    def backends(
        self,
        *,
        context: Optional[Context] = None,
        host: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> BackendsResult:
        """The terminals, and for each why it can or cannot be driven here."""
        return self.call("backends", _given(context=context, host=host), timeout=timeout)  # type: ignore[no-any-return]

    def sessions(
        self,
        *,
        includeFiles: Optional[bool] = None,
        on: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> SessionsResult:
        """Live agent processes and the terminals they are seen in."""
        return self.call("sessions", _given(includeFiles=includeFiles, on=on), timeout=timeout)  # type: ignore[no-any-return]

    @overload
    def resume(
        self,
        *,
        ids: List[str],
        dryRun: Literal[True],
        backend: Optional[BackendId] = None,
        on: Optional[str] = None,
        splits: Optional[bool] = None,
        context: Optional[Context] = None,
        timeout: Optional[float] = None,
    ) -> BuildResult: ...
    @overload
    def resume(
        self,
        *,
        ids: List[str],
        backend: Optional[BackendId] = None,
        on: Optional[str] = None,
        splits: Optional[bool] = None,
        context: Optional[Context] = None,
        dryRun: Optional[Literal[False]] = None,
        timeout: Optional[float] = None,
    ) -> OpenAnswerResults: ...
    @overload
    def resume(
        self,
        *,
        ids: List[str],
        backend: Optional[BackendId] = None,
        on: Optional[str] = None,
        splits: Optional[bool] = None,
        context: Optional[Context] = None,
        dryRun: Optional[bool] = None,
        timeout: Optional[float] = None,
    ) -> OpenAnswer: ...
    def resume(
        self,
        *,
        ids: List[str],
        backend: Optional[BackendId] = None,
        on: Optional[str] = None,
        splits: Optional[bool] = None,
        context: Optional[Context] = None,
        dryRun: Optional[bool] = None,
        timeout: Optional[float] = None,
    ) -> OpenAnswer:
        """Takes up sessions again, each in its own directory in a surface; answers as open."""
        return self.call("resume", _given(ids=ids, backend=backend, on=on, splits=splits, context=context, dryRun=dryRun), timeout=timeout)  # type: ignore[no-any-return]

    def surface_list(
        self,
        *,
        backend: Optional[BackendId] = None,
        host: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> ListResult:
        """The surfaces that can be seen now."""
        return self.call("surface.list", _given(backend=backend, host=host), timeout=timeout)  # type: ignore[no-any-return]

    @overload
    def surface_inject(
        self,
        *,
        surface: str,
        text: str,
        dryRun: Literal[True],
        enter: Optional[bool] = None,
        combined: Optional[bool] = None,
        timeout: Optional[float] = None,
    ) -> SpecShown: ...
    @overload
    def surface_inject(
        self,
        *,
        surface: str,
        text: str,
        enter: Optional[bool] = None,
        combined: Optional[bool] = None,
        dryRun: Optional[Literal[False]] = None,
        timeout: Optional[float] = None,
    ) -> Writes: ...
    @overload
    def surface_inject(
        self,
        *,
        surface: str,
        text: str,
        enter: Optional[bool] = None,
        combined: Optional[bool] = None,
        dryRun: Optional[bool] = None,
        timeout: Optional[float] = None,
    ) -> SurfaceInjectResult: ...
    def surface_inject(
        self,
        *,
        surface: str,
        text: str,
        enter: Optional[bool] = None,
        combined: Optional[bool] = None,
        dryRun: Optional[bool] = None,
        timeout: Optional[float] = None,
    ) -> SurfaceInjectResult:
        """Types text into one surface."""
        return self.call("surface.inject", _given(surface=surface, text=text, enter=enter, combined=combined, dryRun=dryRun), timeout=timeout)  # type: ignore[no-any-return]

    @overload
    def surface_keys(
        self,
        *,
        surface: str,
        keys: List[str],
        dryRun: Literal[True],
        timeout: Optional[float] = None,
    ) -> SpecShown: ...
    @overload
    def surface_keys(
        self,
        *,
        surface: str,
        keys: List[str],
        dryRun: Optional[Literal[False]] = None,
        timeout: Optional[float] = None,
    ) -> Empty: ...
    @overload
    def surface_keys(
        self,
        *,
        surface: str,
        keys: List[str],
        dryRun: Optional[bool] = None,
        timeout: Optional[float] = None,
    ) -> SurfaceKeysResult: ...
    def surface_keys(
        self,
        *,
        surface: str,
        keys: List[str],
        dryRun: Optional[bool] = None,
        timeout: Optional[float] = None,
    ) -> SurfaceKeysResult:
        """Presses keys in one surface."""
        return self.call("surface.keys", _given(surface=surface, keys=keys, dryRun=dryRun), timeout=timeout)  # type: ignore[no-any-return]

    @overload
    def surface_capture(
        self,
        *,
        surface: str,
        dryRun: Literal[True],
        lines: Optional[int] = None,
        timeout: Optional[float] = None,
    ) -> SpecShown: ...
    @overload
    def surface_capture(
        self,
        *,
        surface: str,
        lines: Optional[int] = None,
        dryRun: Optional[Literal[False]] = None,
        timeout: Optional[float] = None,
    ) -> Text: ...
    @overload
    def surface_capture(
        self,
        *,
        surface: str,
        lines: Optional[int] = None,
        dryRun: Optional[bool] = None,
        timeout: Optional[float] = None,
    ) -> SurfaceCaptureResult: ...
    def surface_capture(
        self,
        *,
        surface: str,
        lines: Optional[int] = None,
        dryRun: Optional[bool] = None,
        timeout: Optional[float] = None,
    ) -> SurfaceCaptureResult:
        """The text on one surface."""
        return self.call("surface.capture", _given(surface=surface, lines=lines, dryRun=dryRun), timeout=timeout)  # type: ignore[no-any-return]

    @overload
    def surface_focus(
        self,
        *,
        surface: str,
        dryRun: Literal[True],
        timeout: Optional[float] = None,
    ) -> SpecShown: ...
    @overload
    def surface_focus(
        self,
        *,
        surface: str,
        dryRun: Optional[Literal[False]] = None,
        timeout: Optional[float] = None,
    ) -> Empty: ...
    @overload
    def surface_focus(
        self,
        *,
        surface: str,
        dryRun: Optional[bool] = None,
        timeout: Optional[float] = None,
    ) -> SurfaceFocusResult: ...
    def surface_focus(
        self,
        *,
        surface: str,
        dryRun: Optional[bool] = None,
        timeout: Optional[float] = None,
    ) -> SurfaceFocusResult:
        """Brings one surface to the front."""
        return self.call("surface.focus", _given(surface=surface, dryRun=dryRun), timeout=timeout)  # type: ignore[no-any-return]

    @overload
    def surface_close(
        self,
        *,
        surface: str,
        dryRun: Literal[True],
        timeout: Optional[float] = None,
    ) -> SpecShown: ...
    @overload
    def surface_close(
        self,
        *,
        surface: str,
        dryRun: Optional[Literal[False]] = None,
        timeout: Optional[float] = None,
    ) -> Empty: ...
    @overload
    def surface_close(
        self,
        *,
        surface: str,
        dryRun: Optional[bool] = None,
        timeout: Optional[float] = None,
    ) -> SurfaceCloseResult: ...
    def surface_close(
        self,
        *,
        surface: str,
        dryRun: Optional[bool] = None,
        timeout: Optional[float] = None,
    ) -> SurfaceCloseResult:
        """Closes one surface."""
        return self.call("surface.close", _given(surface=surface, dryRun=dryRun), timeout=timeout)  # type: ignore[no-any-return]

    @overload
    def surface_wait(
        self,
        *,
        surface: str,
        dryRun: Literal[True],
        timeoutMs: Optional[int] = None,
        timeout: Optional[float] = None,
    ) -> SpecShown: ...
    @overload
    def surface_wait(
        self,
        *,
        surface: str,
        timeoutMs: Optional[int] = None,
        dryRun: Optional[Literal[False]] = None,
        timeout: Optional[float] = None,
    ) -> Exit: ...
    @overload
    def surface_wait(
        self,
        *,
        surface: str,
        timeoutMs: Optional[int] = None,
        dryRun: Optional[bool] = None,
        timeout: Optional[float] = None,
    ) -> SurfaceWaitResult: ...
    def surface_wait(
        self,
        *,
        surface: str,
        timeoutMs: Optional[int] = None,
        dryRun: Optional[bool] = None,
        timeout: Optional[float] = None,
    ) -> SurfaceWaitResult:
        """Waits for the program in one surface to end."""
        return self.call("surface.wait", _given(surface=surface, timeoutMs=timeoutMs, dryRun=dryRun), timeout=timeout)  # type: ignore[no-any-return]

    def seat_spawn(
        self,
        *,
        space: str,
        name: str,
        command: str,
        args: Optional[List[str]] = None,
        env: Optional[Dict[str, str]] = None,
        exactEnv: Optional[bool] = None,
        cwd: Optional[str] = None,
        exitPhrase: Optional[str] = None,
        confirm: Optional[Confirm] = None,
        host: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> Spawned:
        """Runs a program in an isolated tmux window."""
        return self.call("seat.spawn", _given(space=space, name=name, command=command, args=args, env=env, exactEnv=exactEnv, cwd=cwd, exitPhrase=exitPhrase, confirm=confirm, host=host), timeout=timeout)  # type: ignore[no-any-return]

    def seat_status(
        self,
        *,
        reference: str,
        timeout: Optional[float] = None,
    ) -> SeatStatus:
        """Whether a seat's program runs."""
        return self.call("seat.status", _given(reference=reference), timeout=timeout)  # type: ignore[no-any-return]

    def seat_stop(
        self,
        *,
        reference: str,
        graceful: Optional[bool] = None,
        graceMs: Optional[int] = None,
        timeoutMs: Optional[int] = None,
        timeout: Optional[float] = None,
    ) -> Stopped:
        """Ends a seat; answers when the end is proven."""
        return self.call("seat.stop", _given(reference=reference, graceful=graceful, graceMs=graceMs, timeoutMs=timeoutMs), timeout=timeout)  # type: ignore[no-any-return]

    def seat_interrupt(
        self,
        *,
        reference: str,
        timeout: Optional[float] = None,
    ) -> Empty:
        """Presses C-c in a seat."""
        return self.call("seat.interrupt", _given(reference=reference), timeout=timeout)  # type: ignore[no-any-return]

    def seat_capture(
        self,
        *,
        reference: str,
        lines: Optional[int] = None,
        timeout: Optional[float] = None,
    ) -> Text:
        """The text on a seat's pane."""
        return self.call("seat.capture", _given(reference=reference, lines=lines), timeout=timeout)  # type: ignore[no-any-return]

    def seat_list(
        self,
        *,
        space: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> SeatListResult:
        """The seats, with their state and how to look at them."""
        return self.call("seat.list", _given(space=space), timeout=timeout)  # type: ignore[no-any-return]

    def seat_wait(
        self,
        *,
        reference: str,
        timeoutMs: Optional[int] = None,
        timeout: Optional[float] = None,
    ) -> Exit:
        """Waits for a seat's program to end."""
        return self.call("seat.wait", _given(reference=reference, timeoutMs=timeoutMs), timeout=timeout)  # type: ignore[no-any-return]

    def seat_reap(
        self,
        *,
        reference: str,
        timeout: Optional[float] = None,
    ) -> Reaped:
        """Ends what is left of a seat and closes its window."""
        return self.call("seat.reap", _given(reference=reference), timeout=timeout)  # type: ignore[no-any-return]

    def layout_open(
        self,
        *,
        label: str,
        tab: TabItem,
        focus: Optional[bool] = None,
        context: Optional[Context] = None,
        timeout: Optional[float] = None,
    ) -> LayoutOpened:
        """Opens a window of several panes in the caller's tmux session."""
        return self.call("layout.open", _given(label=label, tab=tab, focus=focus, context=context), timeout=timeout)  # type: ignore[no-any-return]

    def layout_close(
        self,
        *,
        window: str,
        timeout: Optional[float] = None,
    ) -> Empty:
        """Closes a window that layout.open made."""
        return self.call("layout.close", _given(window=window), timeout=timeout)  # type: ignore[no-any-return]

    def layout_refs(
        self,
        *,
        label: str,
        context: Optional[Context] = None,
        timeout: Optional[float] = None,
    ) -> LayoutRefs:
        """The windows with a label in the caller's tmux session."""
        return self.call("layout.refs", _given(label=label, context=context), timeout=timeout)  # type: ignore[no-any-return]

    def terminal_create(
        self,
        *,
        cwd: Optional[str] = None,
        command: Optional[str] = None,
        args: Optional[List[str]] = None,
        shell: Optional[str] = None,
        env: Optional[Dict[str, str]] = None,
        rows: Optional[int] = None,
        cols: Optional[int] = None,
        name: Optional[str] = None,
        title: Optional[str] = None,
        agentId: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> Terminal:
        """Makes a terminal that outlives the daemon."""
        return self.call("terminal.create", _given(cwd=cwd, command=command, args=args, shell=shell, env=env, rows=rows, cols=cols, name=name, title=title, agentId=agentId), timeout=timeout)  # type: ignore[no-any-return]

    def terminal_list(
        self,
        *,
        cwd: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> TerminalListResult:
        """The terminals, exited ones included."""
        return self.call("terminal.list", _given(cwd=cwd), timeout=timeout)  # type: ignore[no-any-return]

    def terminal_get(
        self,
        *,
        id: str,
        timeout: Optional[float] = None,
    ) -> Terminal:
        """One terminal."""
        return self.call("terminal.get", _given(id=id), timeout=timeout)  # type: ignore[no-any-return]

    def terminal_resize(
        self,
        *,
        id: str,
        rows: int,
        cols: int,
        timeout: Optional[float] = None,
    ) -> Empty:
        """Changes the size of a terminal."""
        return self.call("terminal.resize", _given(id=id, rows=rows, cols=cols), timeout=timeout)  # type: ignore[no-any-return]

    def terminal_remove(
        self,
        *,
        id: str,
        timeout: Optional[float] = None,
    ) -> Empty:
        """Forgets a terminal; a running one is killed first."""
        return self.call("terminal.remove", _given(id=id), timeout=timeout)  # type: ignore[no-any-return]

    def terminal_input(
        self,
        *,
        id: str,
        data: Optional[str] = None,
        dataBase64: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> Empty:
        """Sends bytes to the program."""
        return self.call("terminal.input", _given(id=id, data=data, dataBase64=dataBase64), timeout=timeout)  # type: ignore[no-any-return]

    def terminal_capture(
        self,
        *,
        id: str,
        start: Optional[int] = None,
        end: Optional[int] = None,
        stripAnsi: Optional[bool] = None,
        timeout: Optional[float] = None,
    ) -> TerminalCaptureResult:
        """The kept lines of a terminal."""
        return self.call("terminal.capture", _given(id=id, start=start, end=end, stripAnsi=stripAnsi), timeout=timeout)  # type: ignore[no-any-return]

    def terminal_snapshot(
        self,
        *,
        id: str,
        timeout: Optional[float] = None,
    ) -> Snapshot:
        """The screen as escape sequences."""
        return self.call("terminal.snapshot", _given(id=id), timeout=timeout)  # type: ignore[no-any-return]

    def terminal_kill(
        self,
        *,
        id: str,
        gracefulTimeoutMs: Optional[int] = None,
        forceTimeoutMs: Optional[int] = None,
        timeout: Optional[float] = None,
    ) -> Exit:
        """Ends the program: hang-up, then kill."""
        return self.call("terminal.kill", _given(id=id, gracefulTimeoutMs=gracefulTimeoutMs, forceTimeoutMs=forceTimeoutMs), timeout=timeout)  # type: ignore[no-any-return]

    def terminal_wait(
        self,
        *,
        id: str,
        timeoutMs: Optional[int] = None,
        timeout: Optional[float] = None,
    ) -> Exit:
        """Waits for the program to end."""
        return self.call("terminal.wait", _given(id=id, timeoutMs=timeoutMs), timeout=timeout)  # type: ignore[no-any-return]

    def terminal_attach(
        self,
        *,
        id: str,
        replay: Optional[bool] = None,
        interactive: Optional[bool] = None,
        rows: Optional[int] = None,
        cols: Optional[int] = None,
        timeout: Optional[float] = None,
    ) -> Subscription[AttachItem]:
        """The screen of a terminal, then everything that happens to it, the exit last."""
        return self.subscribe("terminal.attach", _given(id=id, replay=replay, interactive=interactive, rows=rows, cols=cols), timeout=timeout)  # type: ignore[no-any-return]

    def terminal_detach(
        self,
        *,
        subscription: int,
        timeout: Optional[float] = None,
    ) -> Empty:
        """Ends a subscription of terminal.attach."""
        return self.call("terminal.detach", _given(subscription=subscription), timeout=timeout)  # type: ignore[no-any-return]

    def provider_list(
        self,
        *,
        timeout: Optional[float] = None,
    ) -> ProviderListResult:
        """The programs of terminal agents, and whether they are here."""
        return self.call("provider.list", {}, timeout=timeout)  # type: ignore[no-any-return]

    def provider_command(
        self,
        *,
        provider: str,
        action: Action,
        config: Optional[AgentConfig] = None,
        handle: Optional[Handle] = None,
        version: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> TerminalCommand:
        """The command that starts or resumes an agent. Pure."""
        return self.call("provider.command", _given(provider=provider, action=action, config=config, handle=handle, version=version), timeout=timeout)  # type: ignore[no-any-return]

    def agent_create(
        self,
        *,
        provider: str,
        cwd: str,
        model: Optional[str] = None,
        modeId: Optional[str] = None,
        prompt: Optional[str] = None,
        title: Optional[str] = None,
        labels: Optional[Dict[str, str]] = None,
        env: Optional[Dict[str, str]] = None,
        terminal: Optional[bool] = None,
        place: Optional[Place] = None,
        timeout: Optional[float] = None,
    ) -> Agent:
        """Starts a terminal agent."""
        return self.call("agent.create", _given(provider=provider, cwd=cwd, model=model, modeId=modeId, prompt=prompt, title=title, labels=labels, env=env, terminal=terminal, place=place), timeout=timeout)  # type: ignore[no-any-return]

    def agent_open(
        self,
        *,
        id: str,
        place: Optional[Place] = None,
        timeout: Optional[float] = None,
    ) -> Agent:
        """Returns a live agent, or resumes one that ended."""
        return self.call("agent.open", _given(id=id, place=place), timeout=timeout)  # type: ignore[no-any-return]

    def agent_list(
        self,
        *,
        archived: Optional[bool] = None,
        timeout: Optional[float] = None,
    ) -> AgentListResult:
        """The agents."""
        return self.call("agent.list", _given(archived=archived), timeout=timeout)  # type: ignore[no-any-return]

    def agent_get(
        self,
        *,
        id: str,
        timeout: Optional[float] = None,
    ) -> Agent:
        """One agent."""
        return self.call("agent.get", _given(id=id), timeout=timeout)  # type: ignore[no-any-return]

    def agent_update(
        self,
        *,
        id: str,
        title: Optional[str] = None,
        labels: Optional[Dict[str, str]] = None,
        timeout: Optional[float] = None,
    ) -> Agent:
        """Renames or marks an agent."""
        return self.call("agent.update", _given(id=id, title=title, labels=labels), timeout=timeout)  # type: ignore[no-any-return]

    def agent_close(
        self,
        *,
        id: str,
        timeout: Optional[float] = None,
    ) -> Agent:
        """Ends an agent's program."""
        return self.call("agent.close", _given(id=id), timeout=timeout)  # type: ignore[no-any-return]

    def agent_archive(
        self,
        *,
        id: str,
        timeout: Optional[float] = None,
    ) -> Agent:
        """Closes an agent and puts it away."""
        return self.call("agent.archive", _given(id=id), timeout=timeout)  # type: ignore[no-any-return]

    def agent_unarchive(
        self,
        *,
        id: str,
        timeout: Optional[float] = None,
    ) -> Agent:
        """Takes an agent back."""
        return self.call("agent.unarchive", _given(id=id), timeout=timeout)  # type: ignore[no-any-return]

    def agent_delete(
        self,
        *,
        id: str,
        timeout: Optional[float] = None,
    ) -> Empty:
        """Closes an agent and forgets it."""
        return self.call("agent.delete", _given(id=id), timeout=timeout)  # type: ignore[no-any-return]

    def agent_send(
        self,
        *,
        id: str,
        text: str,
        timeout: Optional[float] = None,
    ) -> Empty:
        """Refused: terminal agents take no messages."""
        return self.call("agent.send", _given(id=id, text=text), timeout=timeout)  # type: ignore[no-any-return]

    def events_subscribe(
        self,
        *,
        topics: Optional[List[str]] = None,
        timeout: Optional[float] = None,
    ) -> Subscription[EventItem]:
        """What happens to terminals, surfaces, seats and agents, as it happens."""
        return self.subscribe("events.subscribe", _given(topics=topics), timeout=timeout)  # type: ignore[no-any-return]

    def events_unsubscribe(
        self,
        *,
        subscription: int,
        timeout: Optional[float] = None,
    ) -> Empty:
        """Ends a subscription of events.subscribe."""
        return self.call("events.unsubscribe", _given(subscription=subscription), timeout=timeout)  # type: ignore[no-any-return]

    def daemon_hello(
        self,
        *,
        client: Optional[str] = None,
        protocol: Optional[ProtocolRange] = None,
        timeout: Optional[float] = None,
    ) -> HelloResult:
        """Who answers, what it speaks and its limits. Proof of life."""
        return self.call("daemon.hello", _given(client=client, protocol=protocol), timeout=timeout)  # type: ignore[no-any-return]

    def daemon_status(
        self,
        *,
        timeout: Optional[float] = None,
    ) -> StatusResult:
        """What the daemon does now."""
        return self.call("daemon.status", {}, timeout=timeout)  # type: ignore[no-any-return]

    def daemon_shutdown(
        self,
        *,
        mode: Optional[ShutdownMode] = None,
        timeout: Optional[float] = None,
    ) -> Empty:
        """Ends the daemon; terminals and seats live on. The reply comes first."""
        return self.call("daemon.shutdown", _given(mode=mode), timeout=timeout)  # type: ignore[no-any-return]

    def rpc_discover(
        self,
        *,
        timeout: Optional[float] = None,
    ) -> Any:
        """This document."""
        return self.call("rpc.discover", {}, timeout=timeout)


class AsyncApi:
    """The methods, for asyncio."""

    async def call(self, method: str, params: Optional[Mapping[str, Any]] = None, *, timeout: Optional[float] = None) -> Any:
        raise NotImplementedError

    async def subscribe(self, method: str, params: Optional[Mapping[str, Any]] = None, *, timeout: Optional[float] = None) -> Any:
        raise NotImplementedError

    async def plan(
        self,
        *,
        items: Optional[List[Item]] = None,
        count: Optional[int] = None,
        packing: Optional[Packing] = None,
        backend: Optional[BackendId] = None,
        host: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> PlanResult:
        """How a batch of surfaces is laid out. Pure."""
        return await self.call("plan", _given(items=items, count=count, packing=packing, backend=backend, host=host), timeout=timeout)  # type: ignore[no-any-return]

    async def build(
        self,
        *,
        items: List[Item],
        backend: Optional[BackendId] = None,
        host: Optional[str] = None,
        packing: Optional[Packing] = None,
        context: Optional[Context] = None,
        shell: Optional[str] = None,
        handles: Optional[bool] = None,
        timeout: Optional[float] = None,
    ) -> BuildResult:
        """The exact commands that open would run; opens nothing."""
        return await self.call("build", _given(items=items, backend=backend, host=host, packing=packing, context=context, shell=shell, handles=handles), timeout=timeout)  # type: ignore[no-any-return]

    @overload
    async def open(
        self,
        *,
        items: List[Item],
        dryRun: Literal[True],
        backend: Optional[BackendId] = None,
        host: Optional[str] = None,
        packing: Optional[Packing] = None,
        context: Optional[Context] = None,
        shell: Optional[str] = None,
        handles: Optional[bool] = None,
        staggerMs: Optional[int] = None,
        focus: Optional[bool] = None,
        key: Optional[str] = None,
        startTimeoutMs: Optional[int] = None,
        timeout: Optional[float] = None,
    ) -> BuildResult: ...
    @overload
    async def open(
        self,
        *,
        items: List[Item],
        backend: Optional[BackendId] = None,
        host: Optional[str] = None,
        packing: Optional[Packing] = None,
        context: Optional[Context] = None,
        shell: Optional[str] = None,
        handles: Optional[bool] = None,
        staggerMs: Optional[int] = None,
        focus: Optional[bool] = None,
        key: Optional[str] = None,
        dryRun: Optional[Literal[False]] = None,
        startTimeoutMs: Optional[int] = None,
        timeout: Optional[float] = None,
    ) -> OpenAnswerResults: ...
    @overload
    async def open(
        self,
        *,
        items: List[Item],
        backend: Optional[BackendId] = None,
        host: Optional[str] = None,
        packing: Optional[Packing] = None,
        context: Optional[Context] = None,
        shell: Optional[str] = None,
        handles: Optional[bool] = None,
        staggerMs: Optional[int] = None,
        focus: Optional[bool] = None,
        key: Optional[str] = None,
        dryRun: Optional[bool] = None,
        startTimeoutMs: Optional[int] = None,
        timeout: Optional[float] = None,
    ) -> OpenAnswer: ...
    async def open(
        self,
        *,
        items: List[Item],
        backend: Optional[BackendId] = None,
        host: Optional[str] = None,
        packing: Optional[Packing] = None,
        context: Optional[Context] = None,
        shell: Optional[str] = None,
        handles: Optional[bool] = None,
        staggerMs: Optional[int] = None,
        focus: Optional[bool] = None,
        key: Optional[str] = None,
        dryRun: Optional[bool] = None,
        startTimeoutMs: Optional[int] = None,
        timeout: Optional[float] = None,
    ) -> OpenAnswer:
        """Opens surfaces where the person works; failures of items are results."""
        return await self.call("open", _given(items=items, backend=backend, host=host, packing=packing, context=context, shell=shell, handles=handles, staggerMs=staggerMs, focus=focus, key=key, dryRun=dryRun, startTimeoutMs=startTimeoutMs), timeout=timeout)  # type: ignore[no-any-return]

    async def open_subscribe(
        self,
        *,
        items: List[Item],
        backend: Optional[BackendId] = None,
        host: Optional[str] = None,
        packing: Optional[Packing] = None,
        context: Optional[Context] = None,
        shell: Optional[str] = None,
        handles: Optional[bool] = None,
        staggerMs: Optional[int] = None,
        focus: Optional[bool] = None,
        key: Optional[str] = None,
        dryRun: Optional[bool] = None,
        startTimeoutMs: Optional[int] = None,
        timeout: Optional[float] = None,
    ) -> AsyncSubscription[OpenItem]:
        """As open; each result is sent when it is known."""
        return await self.subscribe("open.subscribe", _given(items=items, backend=backend, host=host, packing=packing, context=context, shell=shell, handles=handles, staggerMs=staggerMs, focus=focus, key=key, dryRun=dryRun, startTimeoutMs=startTimeoutMs), timeout=timeout)  # type: ignore[no-any-return]

    async def open_unsubscribe(
        self,
        *,
        subscription: int,
        timeout: Optional[float] = None,
    ) -> Empty:
        """Ends a subscription of open.subscribe."""
        return await self.call("open.unsubscribe", _given(subscription=subscription), timeout=timeout)  # type: ignore[no-any-return]

    async def resolve_backend(
        self,
        *,
        context: Optional[Context] = None,
        sessions: Optional[List[SessionSample]] = None,
        forced: Optional[BackendId] = None,
        headless: Optional[bool] = None,
        timeout: Optional[float] = None,
    ) -> ResolveResult:
        """Which terminal a surface would open in, and why."""
        return await self.call("resolveBackend", _given(context=context, sessions=sessions, forced=forced, headless=headless), timeout=timeout)  # type: ignore[no-any-return]

    async def backends(
        self,
        *,
        context: Optional[Context] = None,
        host: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> BackendsResult:
        """The terminals, and for each why it can or cannot be driven here."""
        return await self.call("backends", _given(context=context, host=host), timeout=timeout)  # type: ignore[no-any-return]

    async def sessions(
        self,
        *,
        includeFiles: Optional[bool] = None,
        on: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> SessionsResult:
        """Live agent processes and the terminals they are seen in."""
        return await self.call("sessions", _given(includeFiles=includeFiles, on=on), timeout=timeout)  # type: ignore[no-any-return]

    @overload
    async def resume(
        self,
        *,
        ids: List[str],
        dryRun: Literal[True],
        backend: Optional[BackendId] = None,
        on: Optional[str] = None,
        splits: Optional[bool] = None,
        context: Optional[Context] = None,
        timeout: Optional[float] = None,
    ) -> BuildResult: ...
    @overload
    async def resume(
        self,
        *,
        ids: List[str],
        backend: Optional[BackendId] = None,
        on: Optional[str] = None,
        splits: Optional[bool] = None,
        context: Optional[Context] = None,
        dryRun: Optional[Literal[False]] = None,
        timeout: Optional[float] = None,
    ) -> OpenAnswerResults: ...
    @overload
    async def resume(
        self,
        *,
        ids: List[str],
        backend: Optional[BackendId] = None,
        on: Optional[str] = None,
        splits: Optional[bool] = None,
        context: Optional[Context] = None,
        dryRun: Optional[bool] = None,
        timeout: Optional[float] = None,
    ) -> OpenAnswer: ...
    async def resume(
        self,
        *,
        ids: List[str],
        backend: Optional[BackendId] = None,
        on: Optional[str] = None,
        splits: Optional[bool] = None,
        context: Optional[Context] = None,
        dryRun: Optional[bool] = None,
        timeout: Optional[float] = None,
    ) -> OpenAnswer:
        """Takes up sessions again, each in its own directory in a surface; answers as open."""
        return await self.call("resume", _given(ids=ids, backend=backend, on=on, splits=splits, context=context, dryRun=dryRun), timeout=timeout)  # type: ignore[no-any-return]

    async def surface_list(
        self,
        *,
        backend: Optional[BackendId] = None,
        host: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> ListResult:
        """The surfaces that can be seen now."""
        return await self.call("surface.list", _given(backend=backend, host=host), timeout=timeout)  # type: ignore[no-any-return]

    @overload
    async def surface_inject(
        self,
        *,
        surface: str,
        text: str,
        dryRun: Literal[True],
        enter: Optional[bool] = None,
        combined: Optional[bool] = None,
        timeout: Optional[float] = None,
    ) -> SpecShown: ...
    @overload
    async def surface_inject(
        self,
        *,
        surface: str,
        text: str,
        enter: Optional[bool] = None,
        combined: Optional[bool] = None,
        dryRun: Optional[Literal[False]] = None,
        timeout: Optional[float] = None,
    ) -> Writes: ...
    @overload
    async def surface_inject(
        self,
        *,
        surface: str,
        text: str,
        enter: Optional[bool] = None,
        combined: Optional[bool] = None,
        dryRun: Optional[bool] = None,
        timeout: Optional[float] = None,
    ) -> SurfaceInjectResult: ...
    async def surface_inject(
        self,
        *,
        surface: str,
        text: str,
        enter: Optional[bool] = None,
        combined: Optional[bool] = None,
        dryRun: Optional[bool] = None,
        timeout: Optional[float] = None,
    ) -> SurfaceInjectResult:
        """Types text into one surface."""
        return await self.call("surface.inject", _given(surface=surface, text=text, enter=enter, combined=combined, dryRun=dryRun), timeout=timeout)  # type: ignore[no-any-return]

    @overload
    async def surface_keys(
        self,
        *,
        surface: str,
        keys: List[str],
        dryRun: Literal[True],
        timeout: Optional[float] = None,
    ) -> SpecShown: ...
    @overload
    async def surface_keys(
        self,
        *,
        surface: str,
        keys: List[str],
        dryRun: Optional[Literal[False]] = None,
        timeout: Optional[float] = None,
    ) -> Empty: ...
    @overload
    async def surface_keys(
        self,
        *,
        surface: str,
        keys: List[str],
        dryRun: Optional[bool] = None,
        timeout: Optional[float] = None,
    ) -> SurfaceKeysResult: ...
    async def surface_keys(
        self,
        *,
        surface: str,
        keys: List[str],
        dryRun: Optional[bool] = None,
        timeout: Optional[float] = None,
    ) -> SurfaceKeysResult:
        """Presses keys in one surface."""
        return await self.call("surface.keys", _given(surface=surface, keys=keys, dryRun=dryRun), timeout=timeout)  # type: ignore[no-any-return]

    @overload
    async def surface_capture(
        self,
        *,
        surface: str,
        dryRun: Literal[True],
        lines: Optional[int] = None,
        timeout: Optional[float] = None,
    ) -> SpecShown: ...
    @overload
    async def surface_capture(
        self,
        *,
        surface: str,
        lines: Optional[int] = None,
        dryRun: Optional[Literal[False]] = None,
        timeout: Optional[float] = None,
    ) -> Text: ...
    @overload
    async def surface_capture(
        self,
        *,
        surface: str,
        lines: Optional[int] = None,
        dryRun: Optional[bool] = None,
        timeout: Optional[float] = None,
    ) -> SurfaceCaptureResult: ...
    async def surface_capture(
        self,
        *,
        surface: str,
        lines: Optional[int] = None,
        dryRun: Optional[bool] = None,
        timeout: Optional[float] = None,
    ) -> SurfaceCaptureResult:
        """The text on one surface."""
        return await self.call("surface.capture", _given(surface=surface, lines=lines, dryRun=dryRun), timeout=timeout)  # type: ignore[no-any-return]

    @overload
    async def surface_focus(
        self,
        *,
        surface: str,
        dryRun: Literal[True],
        timeout: Optional[float] = None,
    ) -> SpecShown: ...
    @overload
    async def surface_focus(
        self,
        *,
        surface: str,
        dryRun: Optional[Literal[False]] = None,
        timeout: Optional[float] = None,
    ) -> Empty: ...
    @overload
    async def surface_focus(
        self,
        *,
        surface: str,
        dryRun: Optional[bool] = None,
        timeout: Optional[float] = None,
    ) -> SurfaceFocusResult: ...
    async def surface_focus(
        self,
        *,
        surface: str,
        dryRun: Optional[bool] = None,
        timeout: Optional[float] = None,
    ) -> SurfaceFocusResult:
        """Brings one surface to the front."""
        return await self.call("surface.focus", _given(surface=surface, dryRun=dryRun), timeout=timeout)  # type: ignore[no-any-return]

    @overload
    async def surface_close(
        self,
        *,
        surface: str,
        dryRun: Literal[True],
        timeout: Optional[float] = None,
    ) -> SpecShown: ...
    @overload
    async def surface_close(
        self,
        *,
        surface: str,
        dryRun: Optional[Literal[False]] = None,
        timeout: Optional[float] = None,
    ) -> Empty: ...
    @overload
    async def surface_close(
        self,
        *,
        surface: str,
        dryRun: Optional[bool] = None,
        timeout: Optional[float] = None,
    ) -> SurfaceCloseResult: ...
    async def surface_close(
        self,
        *,
        surface: str,
        dryRun: Optional[bool] = None,
        timeout: Optional[float] = None,
    ) -> SurfaceCloseResult:
        """Closes one surface."""
        return await self.call("surface.close", _given(surface=surface, dryRun=dryRun), timeout=timeout)  # type: ignore[no-any-return]

    @overload
    async def surface_wait(
        self,
        *,
        surface: str,
        dryRun: Literal[True],
        timeoutMs: Optional[int] = None,
        timeout: Optional[float] = None,
    ) -> SpecShown: ...
    @overload
    async def surface_wait(
        self,
        *,
        surface: str,
        timeoutMs: Optional[int] = None,
        dryRun: Optional[Literal[False]] = None,
        timeout: Optional[float] = None,
    ) -> Exit: ...
    @overload
    async def surface_wait(
        self,
        *,
        surface: str,
        timeoutMs: Optional[int] = None,
        dryRun: Optional[bool] = None,
        timeout: Optional[float] = None,
    ) -> SurfaceWaitResult: ...
    async def surface_wait(
        self,
        *,
        surface: str,
        timeoutMs: Optional[int] = None,
        dryRun: Optional[bool] = None,
        timeout: Optional[float] = None,
    ) -> SurfaceWaitResult:
        """Waits for the program in one surface to end."""
        return await self.call("surface.wait", _given(surface=surface, timeoutMs=timeoutMs, dryRun=dryRun), timeout=timeout)  # type: ignore[no-any-return]

    async def seat_spawn(
        self,
        *,
        space: str,
        name: str,
        command: str,
        args: Optional[List[str]] = None,
        env: Optional[Dict[str, str]] = None,
        exactEnv: Optional[bool] = None,
        cwd: Optional[str] = None,
        exitPhrase: Optional[str] = None,
        confirm: Optional[Confirm] = None,
        host: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> Spawned:
        """Runs a program in an isolated tmux window."""
        return await self.call("seat.spawn", _given(space=space, name=name, command=command, args=args, env=env, exactEnv=exactEnv, cwd=cwd, exitPhrase=exitPhrase, confirm=confirm, host=host), timeout=timeout)  # type: ignore[no-any-return]

    async def seat_status(
        self,
        *,
        reference: str,
        timeout: Optional[float] = None,
    ) -> SeatStatus:
        """Whether a seat's program runs."""
        return await self.call("seat.status", _given(reference=reference), timeout=timeout)  # type: ignore[no-any-return]

    async def seat_stop(
        self,
        *,
        reference: str,
        graceful: Optional[bool] = None,
        graceMs: Optional[int] = None,
        timeoutMs: Optional[int] = None,
        timeout: Optional[float] = None,
    ) -> Stopped:
        """Ends a seat; answers when the end is proven."""
        return await self.call("seat.stop", _given(reference=reference, graceful=graceful, graceMs=graceMs, timeoutMs=timeoutMs), timeout=timeout)  # type: ignore[no-any-return]

    async def seat_interrupt(
        self,
        *,
        reference: str,
        timeout: Optional[float] = None,
    ) -> Empty:
        """Presses C-c in a seat."""
        return await self.call("seat.interrupt", _given(reference=reference), timeout=timeout)  # type: ignore[no-any-return]

    async def seat_capture(
        self,
        *,
        reference: str,
        lines: Optional[int] = None,
        timeout: Optional[float] = None,
    ) -> Text:
        """The text on a seat's pane."""
        return await self.call("seat.capture", _given(reference=reference, lines=lines), timeout=timeout)  # type: ignore[no-any-return]

    async def seat_list(
        self,
        *,
        space: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> SeatListResult:
        """The seats, with their state and how to look at them."""
        return await self.call("seat.list", _given(space=space), timeout=timeout)  # type: ignore[no-any-return]

    async def seat_wait(
        self,
        *,
        reference: str,
        timeoutMs: Optional[int] = None,
        timeout: Optional[float] = None,
    ) -> Exit:
        """Waits for a seat's program to end."""
        return await self.call("seat.wait", _given(reference=reference, timeoutMs=timeoutMs), timeout=timeout)  # type: ignore[no-any-return]

    async def seat_reap(
        self,
        *,
        reference: str,
        timeout: Optional[float] = None,
    ) -> Reaped:
        """Ends what is left of a seat and closes its window."""
        return await self.call("seat.reap", _given(reference=reference), timeout=timeout)  # type: ignore[no-any-return]

    async def layout_open(
        self,
        *,
        label: str,
        tab: TabItem,
        focus: Optional[bool] = None,
        context: Optional[Context] = None,
        timeout: Optional[float] = None,
    ) -> LayoutOpened:
        """Opens a window of several panes in the caller's tmux session."""
        return await self.call("layout.open", _given(label=label, tab=tab, focus=focus, context=context), timeout=timeout)  # type: ignore[no-any-return]

    async def layout_close(
        self,
        *,
        window: str,
        timeout: Optional[float] = None,
    ) -> Empty:
        """Closes a window that layout.open made."""
        return await self.call("layout.close", _given(window=window), timeout=timeout)  # type: ignore[no-any-return]

    async def layout_refs(
        self,
        *,
        label: str,
        context: Optional[Context] = None,
        timeout: Optional[float] = None,
    ) -> LayoutRefs:
        """The windows with a label in the caller's tmux session."""
        return await self.call("layout.refs", _given(label=label, context=context), timeout=timeout)  # type: ignore[no-any-return]

    async def terminal_create(
        self,
        *,
        cwd: Optional[str] = None,
        command: Optional[str] = None,
        args: Optional[List[str]] = None,
        shell: Optional[str] = None,
        env: Optional[Dict[str, str]] = None,
        rows: Optional[int] = None,
        cols: Optional[int] = None,
        name: Optional[str] = None,
        title: Optional[str] = None,
        agentId: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> Terminal:
        """Makes a terminal that outlives the daemon."""
        return await self.call("terminal.create", _given(cwd=cwd, command=command, args=args, shell=shell, env=env, rows=rows, cols=cols, name=name, title=title, agentId=agentId), timeout=timeout)  # type: ignore[no-any-return]

    async def terminal_list(
        self,
        *,
        cwd: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> TerminalListResult:
        """The terminals, exited ones included."""
        return await self.call("terminal.list", _given(cwd=cwd), timeout=timeout)  # type: ignore[no-any-return]

    async def terminal_get(
        self,
        *,
        id: str,
        timeout: Optional[float] = None,
    ) -> Terminal:
        """One terminal."""
        return await self.call("terminal.get", _given(id=id), timeout=timeout)  # type: ignore[no-any-return]

    async def terminal_resize(
        self,
        *,
        id: str,
        rows: int,
        cols: int,
        timeout: Optional[float] = None,
    ) -> Empty:
        """Changes the size of a terminal."""
        return await self.call("terminal.resize", _given(id=id, rows=rows, cols=cols), timeout=timeout)  # type: ignore[no-any-return]

    async def terminal_remove(
        self,
        *,
        id: str,
        timeout: Optional[float] = None,
    ) -> Empty:
        """Forgets a terminal; a running one is killed first."""
        return await self.call("terminal.remove", _given(id=id), timeout=timeout)  # type: ignore[no-any-return]

    async def terminal_input(
        self,
        *,
        id: str,
        data: Optional[str] = None,
        dataBase64: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> Empty:
        """Sends bytes to the program."""
        return await self.call("terminal.input", _given(id=id, data=data, dataBase64=dataBase64), timeout=timeout)  # type: ignore[no-any-return]

    async def terminal_capture(
        self,
        *,
        id: str,
        start: Optional[int] = None,
        end: Optional[int] = None,
        stripAnsi: Optional[bool] = None,
        timeout: Optional[float] = None,
    ) -> TerminalCaptureResult:
        """The kept lines of a terminal."""
        return await self.call("terminal.capture", _given(id=id, start=start, end=end, stripAnsi=stripAnsi), timeout=timeout)  # type: ignore[no-any-return]

    async def terminal_snapshot(
        self,
        *,
        id: str,
        timeout: Optional[float] = None,
    ) -> Snapshot:
        """The screen as escape sequences."""
        return await self.call("terminal.snapshot", _given(id=id), timeout=timeout)  # type: ignore[no-any-return]

    async def terminal_kill(
        self,
        *,
        id: str,
        gracefulTimeoutMs: Optional[int] = None,
        forceTimeoutMs: Optional[int] = None,
        timeout: Optional[float] = None,
    ) -> Exit:
        """Ends the program: hang-up, then kill."""
        return await self.call("terminal.kill", _given(id=id, gracefulTimeoutMs=gracefulTimeoutMs, forceTimeoutMs=forceTimeoutMs), timeout=timeout)  # type: ignore[no-any-return]

    async def terminal_wait(
        self,
        *,
        id: str,
        timeoutMs: Optional[int] = None,
        timeout: Optional[float] = None,
    ) -> Exit:
        """Waits for the program to end."""
        return await self.call("terminal.wait", _given(id=id, timeoutMs=timeoutMs), timeout=timeout)  # type: ignore[no-any-return]

    async def terminal_attach(
        self,
        *,
        id: str,
        replay: Optional[bool] = None,
        interactive: Optional[bool] = None,
        rows: Optional[int] = None,
        cols: Optional[int] = None,
        timeout: Optional[float] = None,
    ) -> AsyncSubscription[AttachItem]:
        """The screen of a terminal, then everything that happens to it, the exit last."""
        return await self.subscribe("terminal.attach", _given(id=id, replay=replay, interactive=interactive, rows=rows, cols=cols), timeout=timeout)  # type: ignore[no-any-return]

    async def terminal_detach(
        self,
        *,
        subscription: int,
        timeout: Optional[float] = None,
    ) -> Empty:
        """Ends a subscription of terminal.attach."""
        return await self.call("terminal.detach", _given(subscription=subscription), timeout=timeout)  # type: ignore[no-any-return]

    async def provider_list(
        self,
        *,
        timeout: Optional[float] = None,
    ) -> ProviderListResult:
        """The programs of terminal agents, and whether they are here."""
        return await self.call("provider.list", {}, timeout=timeout)  # type: ignore[no-any-return]

    async def provider_command(
        self,
        *,
        provider: str,
        action: Action,
        config: Optional[AgentConfig] = None,
        handle: Optional[Handle] = None,
        version: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> TerminalCommand:
        """The command that starts or resumes an agent. Pure."""
        return await self.call("provider.command", _given(provider=provider, action=action, config=config, handle=handle, version=version), timeout=timeout)  # type: ignore[no-any-return]

    async def agent_create(
        self,
        *,
        provider: str,
        cwd: str,
        model: Optional[str] = None,
        modeId: Optional[str] = None,
        prompt: Optional[str] = None,
        title: Optional[str] = None,
        labels: Optional[Dict[str, str]] = None,
        env: Optional[Dict[str, str]] = None,
        terminal: Optional[bool] = None,
        place: Optional[Place] = None,
        timeout: Optional[float] = None,
    ) -> Agent:
        """Starts a terminal agent."""
        return await self.call("agent.create", _given(provider=provider, cwd=cwd, model=model, modeId=modeId, prompt=prompt, title=title, labels=labels, env=env, terminal=terminal, place=place), timeout=timeout)  # type: ignore[no-any-return]

    async def agent_open(
        self,
        *,
        id: str,
        place: Optional[Place] = None,
        timeout: Optional[float] = None,
    ) -> Agent:
        """Returns a live agent, or resumes one that ended."""
        return await self.call("agent.open", _given(id=id, place=place), timeout=timeout)  # type: ignore[no-any-return]

    async def agent_list(
        self,
        *,
        archived: Optional[bool] = None,
        timeout: Optional[float] = None,
    ) -> AgentListResult:
        """The agents."""
        return await self.call("agent.list", _given(archived=archived), timeout=timeout)  # type: ignore[no-any-return]

    async def agent_get(
        self,
        *,
        id: str,
        timeout: Optional[float] = None,
    ) -> Agent:
        """One agent."""
        return await self.call("agent.get", _given(id=id), timeout=timeout)  # type: ignore[no-any-return]

    async def agent_update(
        self,
        *,
        id: str,
        title: Optional[str] = None,
        labels: Optional[Dict[str, str]] = None,
        timeout: Optional[float] = None,
    ) -> Agent:
        """Renames or marks an agent."""
        return await self.call("agent.update", _given(id=id, title=title, labels=labels), timeout=timeout)  # type: ignore[no-any-return]

    async def agent_close(
        self,
        *,
        id: str,
        timeout: Optional[float] = None,
    ) -> Agent:
        """Ends an agent's program."""
        return await self.call("agent.close", _given(id=id), timeout=timeout)  # type: ignore[no-any-return]

    async def agent_archive(
        self,
        *,
        id: str,
        timeout: Optional[float] = None,
    ) -> Agent:
        """Closes an agent and puts it away."""
        return await self.call("agent.archive", _given(id=id), timeout=timeout)  # type: ignore[no-any-return]

    async def agent_unarchive(
        self,
        *,
        id: str,
        timeout: Optional[float] = None,
    ) -> Agent:
        """Takes an agent back."""
        return await self.call("agent.unarchive", _given(id=id), timeout=timeout)  # type: ignore[no-any-return]

    async def agent_delete(
        self,
        *,
        id: str,
        timeout: Optional[float] = None,
    ) -> Empty:
        """Closes an agent and forgets it."""
        return await self.call("agent.delete", _given(id=id), timeout=timeout)  # type: ignore[no-any-return]

    async def agent_send(
        self,
        *,
        id: str,
        text: str,
        timeout: Optional[float] = None,
    ) -> Empty:
        """Refused: terminal agents take no messages."""
        return await self.call("agent.send", _given(id=id, text=text), timeout=timeout)  # type: ignore[no-any-return]

    async def events_subscribe(
        self,
        *,
        topics: Optional[List[str]] = None,
        timeout: Optional[float] = None,
    ) -> AsyncSubscription[EventItem]:
        """What happens to terminals, surfaces, seats and agents, as it happens."""
        return await self.subscribe("events.subscribe", _given(topics=topics), timeout=timeout)  # type: ignore[no-any-return]

    async def events_unsubscribe(
        self,
        *,
        subscription: int,
        timeout: Optional[float] = None,
    ) -> Empty:
        """Ends a subscription of events.subscribe."""
        return await self.call("events.unsubscribe", _given(subscription=subscription), timeout=timeout)  # type: ignore[no-any-return]

    async def daemon_hello(
        self,
        *,
        client: Optional[str] = None,
        protocol: Optional[ProtocolRange] = None,
        timeout: Optional[float] = None,
    ) -> HelloResult:
        """Who answers, what it speaks and its limits. Proof of life."""
        return await self.call("daemon.hello", _given(client=client, protocol=protocol), timeout=timeout)  # type: ignore[no-any-return]

    async def daemon_status(
        self,
        *,
        timeout: Optional[float] = None,
    ) -> StatusResult:
        """What the daemon does now."""
        return await self.call("daemon.status", {}, timeout=timeout)  # type: ignore[no-any-return]

    async def daemon_shutdown(
        self,
        *,
        mode: Optional[ShutdownMode] = None,
        timeout: Optional[float] = None,
    ) -> Empty:
        """Ends the daemon; terminals and seats live on. The reply comes first."""
        return await self.call("daemon.shutdown", _given(mode=mode), timeout=timeout)  # type: ignore[no-any-return]

    async def rpc_discover(
        self,
        *,
        timeout: Optional[float] = None,
    ) -> Any:
        """This document."""
        return await self.call("rpc.discover", {}, timeout=timeout)
