from pathlib import Path

import pytest

from compression_subnet.chain.wallets import load_hotkey, throwaway_wallet
from compression_subnet.errors import ConfigurationError


def test_a_throwaway_wallet_is_made_in_silence_and_signs(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    wallet = throwaway_wallet(tmp_path, "validator", "default")
    assert capfd.readouterr() == ("", "")
    pair = load_hotkey("validator", "default", tmp_path)
    assert pair.ss58_address == wallet.hotkey.ss58_address
    assert wallet.hotkey.verify(b"text", pair.sign(b"text"))
    assert (tmp_path / "validator" / "hotkeys" / "default").stat().st_mode & 0o077 == 0


def test_one_coldkey_may_have_many_hotkeys_and_none_is_overwritten(tmp_path: Path) -> None:
    first = throwaway_wallet(tmp_path, "owner", "a")
    second = throwaway_wallet(tmp_path, "owner", "b")
    assert first.coldkeypub.ss58_address == second.coldkeypub.ss58_address
    assert first.hotkey.ss58_address != second.hotkey.ss58_address
    with pytest.raises(ConfigurationError, match="exists"):
        throwaway_wallet(tmp_path, "owner", "a")


def test_a_missing_wallet_names_the_command_that_makes_it(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match=r"btcli wallet create -w nobody -H default --wallet-path"):
        load_hotkey("nobody", "default", tmp_path)


def test_a_missing_hotkey_names_the_command_that_makes_it(tmp_path: Path) -> None:
    throwaway_wallet(tmp_path, "owner", "a")
    with pytest.raises(ConfigurationError, match=r"btcli wallet new-hotkey -w owner -H b"):
        load_hotkey("owner", "b", tmp_path)


@pytest.mark.parametrize("content", [b"", b"{}", b"not a key", b'{"ss58Address": "5x"}', b"\xff\xfe"])
def test_a_damaged_key_names_the_fix(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "owner" / "hotkeys" / "a"
    file.parent.mkdir(parents=True)
    file.write_bytes(content)
    with pytest.raises(ConfigurationError, match="btcli wallet regen-hotkey"):
        load_hotkey("owner", "a", tmp_path)


def test_the_public_half_alone_is_no_key(tmp_path: Path) -> None:
    throwaway_wallet(tmp_path, "owner", "a")
    folder = tmp_path / "owner" / "hotkeys"
    (folder / "a").write_bytes((folder / "apub.txt").read_bytes())
    with pytest.raises(ConfigurationError, match="holds no usable key"):
        load_hotkey("owner", "a", tmp_path)


def test_an_encrypted_hotkey_is_refused_without_asking_for_its_password(tmp_path: Path) -> None:
    file = tmp_path / "owner" / "hotkeys" / "a"
    file.parent.mkdir(parents=True)
    file.write_bytes(b"$NACL" + bytes(100))  # how the SDK marks what it encrypts; really doing so takes 10 s
    with pytest.raises(ConfigurationError, match="is encrypted"):
        load_hotkey("owner", "a", tmp_path)


@pytest.mark.parametrize(("name", "hotkey"), [("", "a"), ("owner", ""), ("../owner", "a"), ("owner", "a/b")])
def test_a_path_is_no_name(tmp_path: Path, name: str, hotkey: str) -> None:
    with pytest.raises(ConfigurationError, match="is not the name of a"):
        load_hotkey(name, hotkey, tmp_path)
