"""Keys on disk, in the layout that btcli keeps."""

from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from compression_subnet.errors import ConfigurationError

if TYPE_CHECKING:
    from bittensor import Wallet

__all__ = ["DEFAULT_WALLET_PATH", "Hotkey", "load_hotkey", "throwaway_wallet"]

DEFAULT_WALLET_PATH = "~/.bittensor/wallets"


class Hotkey(Protocol):
    """A key pair that signs for a neuron; those of the SDK's wallets are of this kind."""

    @property
    def ss58_address(self) -> str:
        """Address of the key, by which the chain knows it."""

    @property
    def public_key(self) -> bytes:
        """The 32 bytes of the public key."""

    @property
    def crypto_type(self) -> int:
        """0 for ed25519, 1 for sr25519."""

    def sign(self, data: bytes) -> bytes:
        """Return the 64 bytes of a signature over ``data``."""


def load_hotkey(name: str, hotkey: str, path: str | Path = DEFAULT_WALLET_PATH) -> Hotkey:
    """Return the key pair of a wallet's hotkey; the coldkey is not read, and need not be there.

    Args:
        name: the wallet.
        hotkey: the hotkey's name within it.
        path: the folder of wallets.

    Raises:
        ConfigurationError: the file is missing, unreadable, encrypted or no key; the message names the fix.
    """
    from bittensor import Wallet
    from bittensor.keyfiles import KeyfileError

    for part, value in (("wallet", name), ("hotkey", hotkey)):
        if not value or Path(value).name != value:
            raise ConfigurationError(f"{value!r} is not the name of a {part}: give the name alone, not a path")
    folder = Path(path).expanduser()
    file = folder / name / "hotkeys" / hotkey
    if not file.is_file():
        missing = "hotkey" if (folder / name).is_dir() else "wallet"
        command = f"btcli wallet {'new-hotkey' if missing == 'hotkey' else 'create'} -w {name} -H {hotkey}"
        raise ConfigurationError(f"no {missing} at {file}; make one with: {command} --wallet-path {folder}")
    keyfile = Wallet(name, hotkey, str(folder)).hotkey_file
    if not keyfile.is_readable():
        raise ConfigurationError(f"{file} cannot be read by this user; give the file to the user who runs the neuron")
    if keyfile.is_encrypted():
        raise ConfigurationError(
            f"{file} is encrypted, and a neuron has nobody to ask: store the hotkey without a password, as btcli "
            "does by default"
        )
    try:
        pair: Hotkey = keyfile.get_keypair()
        pair.sign(b"")  # a file with the public half alone loads, and fails here
    except (KeyfileError, ValueError, TypeError, KeyError, OSError) as error:
        raise ConfigurationError(
            f"{file} holds no usable key ({error}); restore it with: "
            f"btcli wallet regen-hotkey -w {name} -H {hotkey} --overwrite --wallet-path {folder}"
        ) from error
    return pair


def throwaway_wallet(path: str | Path, name: str, hotkey: str) -> "Wallet":
    """Create a wallet without passwords, for a demonstration or a test, and print nothing.

    Args:
        path: a temporary folder; never the one of real wallets.
        name: the wallet.
        hotkey: the hotkey's name within it.

    Raises:
        ConfigurationError: there is a key of that name already; nothing was overwritten.
    """
    from bittensor import Wallet

    folder = Path(path).expanduser()
    wallet = Wallet(name, hotkey, str(folder))
    if not wallet.coldkey_file.exists_on_device():
        wallet.create_new_coldkey(use_password=False, suppress=True)
    if wallet.hotkey_file.exists_on_device():
        raise ConfigurationError(f"{wallet.hotkey_file.path} exists; choose another folder or name")
    wallet.create_new_hotkey(use_password=False, suppress=True)
    return wallet
