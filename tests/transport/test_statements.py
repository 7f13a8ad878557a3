import dataclasses

import pytest
from bittensor.sp_core import Keypair

from compression_subnet.transport.statements import StatementSignature, sign_statement, statement_is_signed

ALICE, BOB = (Keypair.create_from_uri(name) for name in ("//Alice", "//Bob"))


@pytest.mark.parametrize("crypto_type", [0, 1])
def test_a_statement_is_its_signers_of_its_kind_and_of_these_bytes(crypto_type: int) -> None:
    signer = Keypair.create_from_uri("//Alice", crypto_type=crypto_type)
    signature = sign_statement(signer, "kind", b"data")
    assert signature.scheme == ("ed25519", "sr25519")[crypto_type]
    assert statement_is_signed(signer.ss58_address, "kind", b"data", signature)
    assert not statement_is_signed(BOB.ss58_address, "kind", b"data", signature)
    assert not statement_is_signed(signer.ss58_address, "other", b"data", signature)
    assert not statement_is_signed(signer.ss58_address, "kind", b"datum", signature)


def test_kind_and_data_do_not_run_into_each_other() -> None:
    signature = sign_statement(ALICE, "kind", b"one\ntwo")
    assert not statement_is_signed(ALICE.ss58_address, "kind\none", b"two", signature)


@pytest.mark.parametrize(
    "change",
    [{"signature": ""}, {"signature": "zz"}, {"signature": "00" * 64}, {"signature": "00" * 3}, {"scheme": "ecdsa"}],
)
def test_what_is_no_signature_never_raises(change: dict[str, str]) -> None:
    good = sign_statement(ALICE, "kind", b"data")
    bad: StatementSignature = dataclasses.replace(good, **change)  # type: ignore[arg-type]
    assert not statement_is_signed(ALICE.ss58_address, "kind", b"data", bad)
    assert not statement_is_signed("no address", "kind", b"data", good)
