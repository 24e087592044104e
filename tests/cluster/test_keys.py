"""A scheduler with keys is used with those of the user's configuration, and one without is warned of."""

from __future__ import annotations

import datetime
from pathlib import Path

import dask
import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

import oracular as package
from oracular.cluster import connect, exposure
from oracular.errors import ClusterError

from real_cluster import RealCluster


def new_keys(folder: Path) -> dict[str, str]:
    """Write a certificate that vouches for itself and its key, and return the settings of Dask that name them."""
    folder.mkdir()
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "cluster")])
    now = datetime.datetime.now(datetime.UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=1))
        .sign(key, hashes.SHA256())
    )
    (folder / "cert.pem").write_bytes(certificate.public_bytes(serialization.Encoding.PEM))
    (folder / "key.pem").write_bytes(
        key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    )
    settings = {"distributed.comm.tls.ca-file": str(folder / "cert.pem")}
    for role in ("client", "scheduler", "worker"):
        settings[f"distributed.comm.tls.{role}.cert"] = str(folder / "cert.pem")
        settings[f"distributed.comm.tls.{role}.key"] = str(folder / "key.pem")
    return settings


def variables(settings: dict[str, str]) -> dict[str, str]:
    """Return settings of Dask as its environment variables."""
    return {f"DASK_{name.upper().replace('.', '__').replace('-', '_')}": value for name, value in settings.items()}


@pytest.fixture(scope="module")
def keys(tmp_path_factory):
    return new_keys(tmp_path_factory.mktemp("keys") / "ours")


@pytest.fixture(scope="module")
def guarded(keys, tmp_path_factory):
    """A cluster of one worker that talks TLS alone."""
    cluster = RealCluster(tmp_path_factory.mktemp("guarded"), "tls", **variables(keys))
    cluster.add_worker(**variables(keys))
    yield cluster
    cluster.close()


def test_a_scheduler_with_keys_is_used_with_those_of_the_configuration(guarded, keys, jotto):
    assert guarded.address.startswith("tls://")
    with dask.config.set(keys), connect(guarded.address) as cluster:
        there = package.solve(jotto(2), iterations=3, resources=package.Resources(cluster=cluster))
    assert there.history == package.solve(jotto(2), iterations=3).history


@pytest.mark.parametrize(
    ("changed", "sentence"),
    [
        ("none", "needs a certificate and none is configured: name the files"),
        ("missing", r"cannot be used \(FileNotFoundError"),
        ("strange", r"the TLS handshake with 'tls://\S+' fails \(SSL"),
    ],
)
def test_keys_that_do_not_fit_are_refused_in_a_sentence(guarded, keys, tmp_path, changed, sentence):
    given = {
        "none": dict.fromkeys(keys),
        "missing": {**keys, "distributed.comm.tls.client.cert": str(tmp_path / "nowhere")},
        "strange": new_keys(tmp_path / "strange"),
    }[changed]
    with dask.config.set(given), pytest.raises(ClusterError, match=sentence) as raised, connect(guarded.address):
        pass
    assert "\n" not in str(raised.value)


def test_who_else_can_use_a_cluster_is_said_once(oracular):
    outcome = oracular("respond", "jotto-2", "--cluster", "tcp://nowhere.invalid:8786")
    assert outcome.code == 2 and outcome.out == ""
    note, error = outcome.err.splitlines()
    assert note.startswith("note: tcp://nowhere.invalid:8786 asks for no keys: whoever reaches that scheduler can run")
    assert error.startswith("error: no scheduler answers at tcp://nowhere.invalid:8786")
    for address in ("local", "tcp://127.0.0.1:1", "tcp://127.8.9.1:1", "tcp://[::1]:1", "tcp://localhost:1"):
        assert exposure(address) is None
    assert exposure("tls://nowhere.invalid:1") is None
    assert exposure("tcp://192.168.1.2:1") is not None and exposure("tcp://[2001:db8::1]:1") is not None
