"""``hv metrics``, and the calls by which other processes record and serve metrics."""

import signal
import threading

import click

from hvcore import tracing
from hvcore.metrics import write_to
from hvcore.metrics.measuring import folder_of
from hvcore.settings import Settings
from hvcore_cli.invocation import CliError, HvCommand, Invocation, pass_invocation
from hvcore_cli.logs import process_logs


def measure(settings: Settings) -> None:
    """
    Have this process and its forks record metrics and traces, if the settings ask for that.

    Raises:
        ConfigError: Traces are asked for, and cannot be recorded.
    """
    if settings.metrics.listen:
        write_to(folder_of(settings.data_dir))
    if settings.traces.enabled:
        command = click.get_current_context(silent=True)
        tracing.switch_on(command.info_name or "hv" if command else "hv")


def serve_beside(settings: Settings, *, is_supervised: bool) -> None:
    """
    Serve the metrics of this machine from a thread of this process, if settings ask for that.

    Args:
        is_supervised: Whether the process belongs to ``hv up``, where another process
            serves the metrics; then nothing is done.
    """
    if settings.metrics.listen and not is_supervised:
        from hvcore_cli.processes.metrics.listener import serve_in_thread  # noqa: PLC0415 - see forks

        serve_in_thread(settings)


@click.command(cls=HvCommand)
@pass_invocation
def metrics(invocation: Invocation) -> None:
    """
    Serve the metrics of this machine's processes to Prometheus, until SIGTERM.

    HV_METRICS__LISTEN is the address to listen at; hv up starts this command itself.
    """
    from hvcore_cli.processes.metrics.listener import MetricsServer  # noqa: PLC0415 - this process's own

    settings = invocation.load().settings
    process_logs.configure(settings.log.format)
    if not settings.metrics.listen:
        raise CliError(
            "Nothing is measured. Set HV_METRICS__LISTEN to where Prometheus is to find "
            "the metrics, such as 127.0.0.1:9464, for all processes of this machine."
        )
    try:
        server = MetricsServer(settings)
    except OSError as exc:
        raise CliError(
            f"{settings.metrics.listen} cannot be used: {exc.strerror or exc}. Choose "
            "another address with HV_METRICS__LISTEN."
        ) from exc

    def stop(*_: object) -> None:
        # Not from this thread, which it would wait for.
        threading.Thread(target=server.shutdown, daemon=True).start()

    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, stop)
    with server:
        server.serve_forever()
