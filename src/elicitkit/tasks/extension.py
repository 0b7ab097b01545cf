"""`Tasks`: the Tasks extension for the official SDK (`io.modelcontextprotocol/tasks`, 2026-07-28)."""

from __future__ import annotations

import logging
import secrets
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager, contextmanager
from datetime import timedelta
from functools import partial
from typing import Any, Final, Literal, TypeAlias, TypeVar

from mcp import Client
from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
from mcp.server.extension import Extension, MethodBinding
from mcp.server.mcpserver import MCPServer
from mcp.server.request_state import authenticated_principal
from mcp.shared.exceptions import MCPError
from mcp_types import INTERNAL_ERROR, INVALID_PARAMS, CallToolRequestParams

from ..asking import AskContext
from ..asking.road import road_of, seconds_of
from ..errors import AdapterMissing, ElicitkitError, StoreError, UnknownTask
from ..journal import Journal
from ..limits import LOST_RUNS
from ..server.failures import error_result
from .answers import judge
from .beginning import BeginningRoad, begin_later
from .call import TaskCall
from .choice import Choice, Choices, Mode, Predicate, kept_for, kept_in
from .consent import declares_tasks, require_addressed, require_tasks
from .engine import Engine
from .engines.local import LocalEngine
from .execution import Execution, plain_call
from .listening import listen, wanted_tasks
from .making import TaskTerms
from .messages import EXTENSION, TaskParams, UpdateParams
from .quiet import without_words
from .record import History, Settlement, TaskInput, TaskRecord
from .replaying import is_own_client, own_client, replay, replay_through, take_replay
from .road import REVISION
from .run import Run
from .runner import GRACE, MAX_LIVE, Runner
from .server_tools import ServerTools
from .serving import NO_LIFESPAN, Serving, require_lifespan, require_served, started
from .store import LEASE, TaskStore
from .stores.arguments import count
from .troubles import Doing, troubles_of
from .wire import create_task_result, get_task_result

logger: logging.Logger = logging.getLogger(__name__)

F = TypeVar("F", bound=Callable[..., Any])
Context: TypeAlias = ServerRequestContext[Any, Any]
Lifespan: TypeAlias = Callable[[MCPServer[Any]], AbstractAsyncContextManager[Any]]

TTL: Final = timedelta(days=1)
"""How long a task is kept after the last activity, unless told otherwise."""

_REVISIONS = frozenset({REVISION})
"""The revisions that have tasks. On others a tool runs as if there were none."""

_METHODS = frozenset({"tasks/get", "tasks/update", "tasks/cancel"})


class Tasks(Extension):
    """Lets calls go on as tasks: the client polls, answers when it likes, and may be gone in between.

        tasks = Tasks(SqliteTaskStore("tasks.db"))
        mcp = MCPServer("shop", middleware=[Elicitation()], extensions=[tasks], lifespan=tasks.lifespan())

        @mcp.tool()
        @tasks.task()
        async def order(cart: str, ctx: Context) -> str: ...

    Inside a task every question is parked: `elicit` and all its like, and the SDK's own `ctx.elicit`. A person may
    answer tomorrow, and the process may have died in between: the tool is run again, and goes on where it stopped. What
    it does between its questions happens again then, unless it is a `step`.

    Args:
        store: Where tasks are kept. It is opened with the server, and closed with it.
        tools: Which tools become tasks beside those with the decorator: names, or a function of the tool's name and
            its arguments that gives `forbidden`, `optional` or `required`.
        ttl: How long a task is kept after the last activity, in seconds or as a `timedelta`; `None` for ever.
        poll_interval: How often clients are told to ask, in seconds.
        principal: Whose a task is; by default whom the transport authenticated. Without anybody, a task belongs to
            whoever holds its id.
        engine: What brings tasks back that nobody runs.
        max_live: How many calls that wait for people are kept in memory; the others are rows of the store alone. Tools
            that wait in threads are kept in half of these at most.
        lease: For how long a process claims a task at a time, in seconds; one that dies is replaced after that.
        grace: How long tools have to end when the server stops, in seconds. The task of one that does not is given to
            others all the same, and its tool runs in two processes until this one has ended.
        lost_runs: How many runs of a task in a row may be lost with their process before it ends with an error result.
    """

    identifier = EXTENSION

    def __init__(
        self,
        store: TaskStore,
        *,
        tools: Iterable[str] | Predicate | None = None,
        ttl: timedelta | float | None = TTL,
        poll_interval: float = 1.0,
        principal: Callable[[Context], str | None] = authenticated_principal,
        engine: Engine | None = None,
        max_live: int = MAX_LIVE,
        lease: float = LEASE,
        grace: float = GRACE,
        lost_runs: int = LOST_RUNS,
    ) -> None:
        self.store: TaskStore = kept_in(store)
        self.engine: Engine = engine or LocalEngine()
        self._lease = seconds_of(lease, what="lease") or LEASE
        self.grace: float = seconds_of(grace, what="grace") or GRACE
        """How long tools have to end when the server stops, in seconds."""
        self._ttl = kept_for(ttl, self._lease)
        self._choices = Choices(tools, self._ttl)
        self._poll_interval_ms = max(1, round((seconds_of(poll_interval, what="poll_interval") or 1.0) * 1000))
        self._principal = principal
        live = count("max_live", max_live)
        self._tools = ServerTools()
        self._new_runner = partial(
            Runner, replay=self._replay, max_live=live, lease=self._lease, lost_runs=lost_runs, tools=self._tools
        )
        self._runner = self._new_runner(self.store, grace=self.grace)
        self._is_warned = False
        self._is_work = False  # Whether a worker runs them, which tells by itself what keeps it from that.
        self._serving = Serving()
        self._server: MCPServer[Any] | None = None
        self._server_state: Any = None
        self._client: Client | None = None

    # --- what authors use --------------------------------------------------------------------------------------------

    def task(
        self,
        *,
        mode: Mode = "optional",
        name: str | None = None,
        ttl: timedelta | float | None = TTL,
        begins: Literal["at once", "later"] = "at once",
    ) -> Callable[[F], F]:
        """Let a tool run as a task; it stands under `@mcp.tool()`.

        Args:
            mode: `optional` is a task for clients that know tasks, and a plain call for others; `required` is an error
                (-32021) for others; `forbidden` is never a task.
            name: The tool's name, where it is not that of the function.
            ttl: As for `Tasks`.
            begins: `later` is a plain call until it comes to `await tasks.begin(ctx)`: until there it may ask by round
                trip, or return without a task.

        Raises:
            ValueError: If the mode is none, or the `ttl` shorter than the lease.
        """

        def choose(fn: F) -> F:
            kept = self._ttl if ttl is TTL else kept_for(ttl, self._lease)
            self._choices.add(name or fn.__name__, Choice(mode, ttl=kept, begins=begins))
            return fn

        return choose

    async def begin(self, ctx: AskContext) -> None:
        """Make the running call a task, from here on. In a task, and for clients that know none, nothing happens.

        What was asked, answered and done before is taken along. It waits for steps that run beside it.

        Raises:
            AdapterMissing: If no adapter is installed in the server.
        """
        road = road_of(ctx)
        if isinstance(road, BeginningRoad):
            await road.go_over()

    def lifespan(self, mine: Lifespan | None = None) -> Lifespan:
        """The lifespan to give to the server; *mine* is the server's own, if it has one.

        It opens the store, and takes up the tasks that another process left. Where several clients enter it, as they do
        in memory, *mine* is entered once, and all see what it gave; so do tools that are run again.

        Raises:
            TypeError: If *mine* is none: the server was given the method, and not what it makes.
            AdapterMissing: When the server starts: if these tasks are not among its extensions.
            ValueError: When the server starts: if a tool was chosen that it does not have, or another server serves
                these tasks.
            StoreError: When the server starts: if the store cannot be opened.
        """
        require_lifespan(mine)

        @asynccontextmanager
        async def living(server: MCPServer[Any]) -> AsyncIterator[Any]:
            if is_own_client(self):
                yield self._server_state
                return
            if self._server not in (None, server):
                raise ValueError("these tasks are served by another server at the moment: each has its own Tasks(…)")
            serving = self._serve(server, mine)
            async with self._serving.joined(serving if self._is_work else started(server, serving)) as state:
                yield state

        return living

    @property
    def is_served(self) -> bool:
        """Whether a server serves these tasks, or a worker runs them, at the moment."""
        return self._client is not None

    @property
    def left_behind(self) -> tuple[str, ...]:
        """The tasks whose tools did not end when the server stopped."""
        return self._runner.left_behind

    def run_by(self, engine: Engine, *, store: TaskStore | None = None, grace: float | None = None) -> None:
        """Let another engine run the tasks of this process, with another store or another grace if one is given.

        It is for workers, which import a server that somebody else serves. What a tool itself holds of the store that
        the server was made with stays that one.

        Raises:
            RuntimeError: While the tasks are served.
        """
        if self.is_served:
            raise RuntimeError("these tasks are served at the moment: their engine is chosen before")
        self.engine, self.store, self._is_work = engine, store or self.store, True
        self.grace = seconds_of(grace, what="grace") or self.grace
        self._runner = self._new_runner(self.store, grace=self.grace)

    # --- what the SDK uses -------------------------------------------------------------------------------------------

    def methods(self) -> Sequence[MethodBinding]:
        """`tasks/get`, `tasks/update` and `tasks/cancel`."""
        return [
            MethodBinding("tasks/get", TaskParams, self._get, _REVISIONS),
            MethodBinding("tasks/update", UpdateParams, self._update, _REVISIONS),
            MethodBinding("tasks/cancel", TaskParams, self._cancel, _REVISIONS),
        ]

    async def intercept_tool_call(
        self, params: CallToolRequestParams, ctx: Context, call_next: CallNext
    ) -> HandlerResult:
        """Decide whether a call becomes a task, and start it."""
        try:
            return await self._intercepted(Execution(ctx, params, call_next))
        except ElicitkitError as error:  # The middleware that gives it its text may not be there.
            return error_result(error)

    async def _intercepted(self, execution: Execution) -> HandlerResult:
        ctx, params = execution.ctx, execution.params
        if (replayed := take_replay()) is not None:
            return await replay_through(replayed, execution)
        choice = self._choices.of(params.name, params.arguments or {})
        if choice.mode == "forbidden" or ctx.protocol_version not in _REVISIONS:
            return await execution.call_next(ctx)
        if not declares_tasks(ctx):
            if choice.mode == "required":
                require_tasks(ctx)
            return await plain_call(execution)
        if self._client is None:
            raise AdapterMissing(NO_LIFESPAN)
        if not (self.engine.runs_here or await self._tools.find(params.name)):
            return await plain_call(execution)  # Its error is the answer: a task would wait for a tool for ever.
        self._warn(ctx)
        return await (self._later if choice.begins == "later" else self._at_once)(execution, choice)

    # --- calls that become tasks -------------------------------------------------------------------------------------

    async def _at_once(self, execution: Execution, choice: Choice) -> HandlerResult:
        call = execution.call(secrets.token_hex(16))
        record, run = await self._new_task(call, execution, choice)
        if run is not None:
            road = run.road
            self._runner.start(run, lambda: execution.detached(road))
        return create_task_result(record)

    async def _later(self, execution: Execution, choice: Choice) -> HandlerResult:
        """Run a call until it ends, suspends, or becomes a task."""
        before: Any = road_of(execution.ctx)

        async def begin() -> tuple[TaskRecord, Run | None]:
            journal: Journal = before.journal
            call = execution.call(before.call_id, journal=journal.write())
            return await self._new_task(call, execution, choice, journal)

        given = await begin_later(before, execution.on, begin=begin, start=self._runner.start)
        return create_task_result(given) if isinstance(given, TaskRecord) else dict(given)

    async def _new_task(
        self, call: TaskCall, execution: Execution, choice: Choice, journal: Journal | None = None
    ) -> tuple[TaskRecord, Run | None]:
        """Make a task of a call, and the run of it where it is to run here."""
        owner, poll_interval_ms = self._principal(execution.ctx), self._poll_interval_ms
        kept = TaskTerms(owner=owner, ttl=choice.ttl, poll_interval_ms=poll_interval_ms)
        if not self.engine.runs_here:
            return await self._runner.create(call, kept), None
        return await self._runner.new_run(call, kept, journal=journal)

    async def _replay(self, run: Run, history: History) -> dict[str, Any]:
        assert self._client is not None
        return await replay(self._client, run, history)

    # --- requests about tasks ----------------------------------------------------------------------------------------

    async def _get(self, ctx: Context, params: TaskParams) -> HandlerResult:
        return get_task_result(await self._found(ctx, params.task_id))

    async def _update(self, ctx: Context, params: UpdateParams) -> HandlerResult:
        task_id, responses = params.task_id, params.input_responses
        require_addressed(ctx, task_id)
        owner = self._principal(ctx)
        inputs = self._runner.asked(task_id, owner, responses.keys())
        with self._told("write"):
            if inputs is None:
                await self.store.answer(task_id, partial(_judged, responses), owner=owner)
                return {"resultType": "complete"}
            settlements = _judged(responses, inputs)
            taken = await self.store.settle(task_id, settlements)
        for one in settlements:
            if one.key in taken:
                self._runner.answered(task_id, inputs[one.key], one)
        return {"resultType": "complete"}

    async def _cancel(self, ctx: Context, params: TaskParams) -> HandlerResult:
        require_addressed(ctx, params.task_id)
        with self._told("write"):
            await self.store.cancel(params.task_id, owner=self._principal(ctx))
        return {"resultType": "complete"}

    async def _found(self, ctx: Context, task_id: str) -> TaskRecord:
        """The task that a request names.

        Raises:
            MCPError: As `require_addressed`; -32602 for a task that is unknown, expired or somebody else's.
        """
        require_addressed(ctx, task_id)
        with self._told("read"):
            return await self.store.get(task_id, owner=self._principal(ctx))

    @contextmanager
    def _told(self, doing: Doing) -> Iterator[None]:
        """Tell the client what the store says.

        There is one answer for all tasks that are not there, byte for byte (Tasks extension, "Security").
        """
        try:
            yield
        except UnknownTask as error:
            raise MCPError(code=INVALID_PARAMS, message=str(error)) from None
        except StoreError as error:
            troubles_of(self.store).begin(doing, error, "a request about a task failed")
            raise MCPError(code=INTERNAL_ERROR, message=str(error)) from None
        else:
            troubles_of(self.store).end(doing)

    async def _first(self, ctx: Context, call_next: CallNext) -> HandlerResult:
        """A middleware that serves `subscriptions/listen` with `taskIds`.

        Who did not declare the extension is told so, whatever else is wrong with a request about a task.
        """
        if ctx.method in _METHODS and ctx.protocol_version in _REVISIONS:
            require_tasks(ctx)
        if not (wanted := wanted_tasks(ctx)):
            return await call_next(ctx)
        require_tasks(ctx)
        owner = self._principal(ctx)
        return await listen(
            ctx,
            call_next,
            store=self.store,
            wanted=wanted,
            find=lambda task_id: self.store.get(task_id, owner=owner),
        )

    def _warn(self, ctx: Context) -> None:
        if not self._is_warned and ctx.request is not None and self._principal(ctx) is None:
            self._is_warned = True
            logger.warning("nobody is authenticated over HTTP: a task belongs to whoever holds its id")

    # --- serving -----------------------------------------------------------------------------------------------------

    @asynccontextmanager
    async def _serve(self, server: MCPServer[Any], mine: Lifespan | None) -> AsyncIterator[Any]:
        """Keep the server's own lifespan, the store, a client of our own and the engine."""
        async with AsyncExitStack() as stack:
            require_served(server, self)
            stack.enter_context(without_words())
            self._server = self._tools.server = server
            stack.callback(self._stop_serving)
            # The SDK's own default is an empty dict, too.
            self._server_state = await stack.enter_async_context(mine(server)) if mine else {}
            self._choices.require_known(await self._tools.names())
            await stack.enter_async_context(self.store)
            self._client = await stack.enter_async_context(own_client(server, self))
            await stack.enter_async_context(self.engine.running(self._runner))
            if self._first not in server.middleware:
                server.middleware.append(self._first)
            yield self._server_state

    def _stop_serving(self) -> None:
        self._server = self._server_state = self._client = self._tools.server = None


def _judged(responses: Mapping[str, object], inputs: Mapping[str, TaskInput]) -> list[Settlement]:
    """What responses make of open questions; those to any other are ignored."""
    return [judge(inputs[key], response) for key, response in responses.items() if key in inputs]
