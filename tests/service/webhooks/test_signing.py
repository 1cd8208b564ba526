"""Messages are signed as in Standard Webhooks, with secrets that nothing stores."""

import msgspec
import pytest

from service.store.hooks import Hook
from service.webhooks.signing import OVERLAP_MS, OtherSecret, Secrets, check, headers

VECTOR = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"


def hook(secrets: Secrets, generation: int = 1, overlap: int = 0) -> Hook:
    digest = check(secrets.text("h", generation))
    made = Hook(id="h", key="k", url="https://a.example", events=(), made=0, check=digest)
    return msgspec.structs.replace(made, generation=generation, overlap=overlap)


def test_the_signature_is_that_of_the_reference_implementations() -> None:
    signed = headers("msg_p5jXN8AQM9LWM0D4loKWxJek", 1614265330, b'{"test": 2432232314}', [VECTOR])
    assert signed == {
        "webhook-id": "msg_p5jXN8AQM9LWM0D4loKWxJek",
        "webhook-timestamp": "1614265330",
        "webhook-signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
    }


def test_each_secret_signs() -> None:
    one, both = (headers("m", 1, b"{}", secrets)["webhook-signature"] for secrets in ([VECTOR], [VECTOR, "whsec_AAAA"]))
    assert both.split(" ")[0] == one
    assert len(both.split(" ")) == 2


def test_every_webhook_and_generation_has_a_secret_of_256_bits_of_its_own() -> None:
    secrets = Secrets("a")
    texts = {secrets.text("h", 1), secrets.text("h", 2), secrets.text("i", 1), Secrets("b").text("h", 1)}
    assert len(texts) == 4
    assert {len(text) for text in texts} == {len("whsec_") + 44}


def test_every_owner_of_remote_bots_has_a_secret_of_256_bits_of_its_own() -> None:
    texts = [Secrets("a").of_bots("h"), Secrets("a").of_bots("i"), Secrets("b").of_bots("h"), Secrets("a").text("h", 1)]
    assert Secrets("a").of_bots("h") == texts[0]
    assert len(set(texts)) == 4
    assert {(text[:6], len(text)) for text in texts} == {("whsec_", 6 + 44)}


@pytest.mark.parametrize("generation", [2, 3, 4, 7])
def test_after_a_rotation_the_secret_before_signs_for_a_day(generation: int) -> None:
    secrets, now = Secrets("a"), 1_000
    rotated = hook(secrets, generation, now + OVERLAP_MS)
    present, before = (secrets.text("h", each) for each in (generation, generation - 1))
    assert secrets.valid(rotated, now) == [present, before]
    assert secrets.valid(rotated, now + OVERLAP_MS - 1) == [present, before]
    assert secrets.valid(rotated, now + OVERLAP_MS) == [present]
    assert secrets.valid(hook(secrets), now) == [secrets.text("h", 1)]


def test_under_another_secret_of_the_service_nothing_is_signed_wrongly() -> None:
    with pytest.raises(OtherSecret):
        Secrets("b").valid(hook(Secrets("a")), 0)
