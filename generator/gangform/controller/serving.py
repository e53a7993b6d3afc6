"""Where others ask how the controller is: /healthz, /readyz and /metrics."""

from collections.abc import Awaitable, Callable

from aiohttp import web
from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, generate_latest

from gangform.model.errors import InputError

Answer = Callable[[], str]
"""What is wrong; empty when nothing is."""


async def serve(
    host: str, port: int, registry: CollectorRegistry, *, health: Answer, readiness: Answer,
) -> web.AppRunner:
    """Listen, and return what ``cleanup()`` closes again.

    Raises:
        InputError: the address is taken, or not this machine's.
    """
    async def metrics(_: web.Request) -> web.Response:
        return web.Response(body=generate_latest(registry), headers={"Content-Type": CONTENT_TYPE_LATEST})

    def probe(answer: Answer) -> Callable[[web.Request], Awaitable[web.StreamResponse]]:
        async def respond(_: web.Request) -> web.Response:
            wrong = answer()
            return web.Response(text=f"{wrong or 'ok'}\n", status=503 if wrong else 200)

        return respond

    app = web.Application()
    app.router.add_get("/metrics", metrics)
    app.router.add_get("/healthz", probe(health))
    app.router.add_get("/readyz", probe(readiness))
    runner = web.AppRunner(app, access_log=None)
    await runner.setup()
    try:
        await web.TCPSite(runner, host, port).start()
    except OSError as error:
        await runner.cleanup()
        message = f"cannot listen on {host}:{port}: {error.strerror or error}"
        raise InputError(message, "choose another --listen") from error
    return runner
