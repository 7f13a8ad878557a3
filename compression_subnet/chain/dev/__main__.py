"""``python -m compression_subnet.chain.dev``: a chain in one process, for tests and demonstrations."""

import argparse
import asyncio
import signal
import sys
from collections.abc import Sequence
from pathlib import Path

from compression_subnet.chain.dev.genesis import SubnetSettings
from compression_subnet.chain.dev.launch import open_node, running_node
from compression_subnet.errors import ConfigurationError


def _natural(text: str) -> int:
    number = int(text)
    if not 0 <= number < 2**16:
        raise argparse.ArgumentTypeError(f"{text} is not a number from 0 to 65535")
    return number


def _arguments(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m compression_subnet.chain.dev",
        description="A Bittensor chain in one process, for tests and demonstrations. Nothing on it has value.",
        epilog="Subnet 1 is owned by //Alice, whose hotkey is uid 0; //Alice to //Ferdie hold a million TAO each.",
    )
    parser.add_argument("--host", default="127.0.0.1", help="address to listen on (default %(default)s)")
    parser.add_argument("--port", type=_natural, default=9944, help="port; 0 picks a free one (default %(default)s)")
    parser.add_argument(
        "--block-time",
        type=float,
        default=1.0,
        metavar="SECONDS",
        help="between blocks; 0 builds one for each extrinsic and on demand (default %(default)s)",
    )
    parser.add_argument("--state", type=Path, metavar="FILE", help="keep the chain in this file")
    parser.add_argument("--tempo", type=_natural, help="blocks between the epochs of subnet 1 (new chain: 360)")
    parser.add_argument(
        "--commit-reveal",
        action=argparse.BooleanOptionalAction,
        help="whether subnet 1 hides weights (new chain: it does)",
    )
    parser.add_argument(
        "--weights-rate-limit", type=_natural, help="blocks between a validator's weights (new chain: 100)"
    )
    parsed = parser.parse_args(arguments)
    if parsed.block_time != 0 and not 0.01 <= parsed.block_time <= 600:
        parser.error("--block-time must be 0, or from 0.01 to 600 seconds")
    return parsed


async def _run(arguments: argparse.Namespace) -> None:
    settings = SubnetSettings(arguments.tempo, arguments.commit_reveal, arguments.weights_rate_limit)
    node = open_node(arguments.block_time, settings, arguments.state)
    stopped = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stopped.set)
    async with running_node(node, arguments.host, arguments.port) as (url, building):
        print(f"listening {url}", flush=True)
        waiting = asyncio.create_task(stopped.wait())
        done, _ = await asyncio.wait((building, waiting), return_when=asyncio.FIRST_COMPLETED)
        waiting.cancel()
        for task in done:
            task.result()  # an error in building blocks ends the process


def main(arguments: Sequence[str] | None = None) -> int:
    """Run until SIGINT or SIGTERM; return the exit status."""
    try:
        asyncio.run(_run(_arguments(arguments)))
    except ConfigurationError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
