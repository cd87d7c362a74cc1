"""RoCE frames, byte by byte."""

import zlib

import numpy as np
import pytest
from incast.export import roce
from incast.export.roce import KINDS

ETHERNET_TO_2_FROM_1 = "02 000002 0000  02 000001 0000  0800"
IPV4 = "45 {tos} {length} 0000 4000 40 11 {sum} 0a {source} 0a {destination}"


def packet(kind, **changed):
    """One packet in the columns of the trace."""
    is_pfc = kind in ("pause", "resume")
    fields = {
        "kind": KINDS.index(kind),
        "wire": 60,
        "source": 7 if is_pfc else 1,
        "destination": 2,
        "source_port": 3 if is_pfc else 2228,
        "flow": 5,
        "psn": 9,
        "is_first": False,
        "is_last": False,
        "requests_ack": False,
        "ecn": 0,
        "echoes_mark": False,
        **changed,
    }
    return roce.Packets(**{name: np.array([value]) for name, value in fields.items()})


def frame(kind, snap_length=65535, **changed):
    (found,) = roce.frames(packet(kind, **changed), snap_length)
    return found.captured.tobytes(), int(found.lengths[0])


def icrc(whole):
    """The ICRC by annex A17: the CRC of Ethernet over eight bytes of ones and the frame from IP on,
    with ones in the fields that may change on the way.
    """
    masked = bytearray(b"\xff" * 8 + whole[14:-4])
    for place in (1, 8, 10, 11, 26, 27, 32):
        masked[8 + place] = 0xFF
    return zlib.crc32(masked).to_bytes(4, "little")


def test_an_ack():
    """62 B, two more than the model's ACK. IP has 48 B in all, which is 0x0030; its TOS is 26·4 =
    0x68. The sum of its words is 4568 + 0030 + 4000 + 4011 + 0a00 + 0001 + 0a00 + 0002 = d9ac,
    inverted 2653.
    """
    whole, length = frame("ack")
    assert (length, len(whole)) == (62, 62)
    ip = IPV4.format(tos="68", length="0030", sum="2653", source="000001", destination="000002")
    udp = "08b4 12b7 001c 0000"
    bth = "11 00 ffff 00 000105 00 000009"
    aeth = "1f 000000"
    assert whole[:-4] == bytes.fromhex(ETHERNET_TO_2_FROM_1 + ip + udp + bth + aeth)
    assert whole[-4:] == icrc(whole)


def test_a_nak_and_an_ack_of_all():
    """Syndrome 011 00000: PSN sequence error. The one message is complete when the whole flow
    is.
    """
    assert frame("nack")[0][54:58].hex() == "60000000"
    assert frame("ack", is_last=True)[0][54:58].hex() == "1f000001"


def test_a_cnp():
    """DSCP 48, BECN, sixteen zeros."""
    whole, length = frame("cnp", psn=0)
    assert (length, whole[15], whole[42:].hex()[:-8]) == (
        74,
        48 << 2,
        "8100ffff4000010500000000" + "00" * 16,
    )
    assert whole[-4:] == icrc(whole)


@pytest.mark.parametrize(
    ("is_first", "is_last", "opcode"),
    [(True, False, 0), (False, False, 1), (False, True, 2), (True, True, 4)],
)
def test_opcodes_of_data(is_first, is_last, opcode):
    whole, length = frame("data", wire=1048, is_first=is_first, is_last=is_last, requests_ack=True)
    assert (length, whole[42], whole[50]) == (1048, opcode, 0x80)
    assert whole[54:-4] == bytes(1048 - 58)
    assert whole[-4:] == icrc(whole)


@pytest.mark.parametrize("ecn", [0, 2, 3])
def test_marks(ecn):
    """The mark of data is in IP; its echo is the bit BECN in the BTH of the ACK."""
    assert frame("data", wire=1048, ecn=ecn)[0][15] == 26 << 2 | ecn
    assert frame("ack", echoes_mark=True)[0][46] == 0x40


def test_checksums_fit():
    """The ones' complement sum of all words of IP, with the checksum, is all ones."""
    for host in (0, 255, 256, 65_534):
        whole, _ = frame("data", wire=1000, source=host, destination=host // 2)
        total = sum(int.from_bytes(whole[at : at + 2], "big") for at in range(14, 34, 2))
        assert total % 0xFFFF == 0
        assert whole[26:30] == bytes([10]) + host.to_bytes(3, "big")


def test_pfc_frames():
    """Class 3 with all quanta (pause) or none (resume), from port 3 of node 7."""
    head = "0180c2000001 02 000007 0003 8808 0101 0008 0000 0000 0000"
    assert frame("pause", wire=64)[0] == bytes.fromhex(head + "ffff") + bytes(38)
    assert frame("resume", wire=43)[0] == bytes.fromhex(head + "0000") + bytes(34)


def test_rate_requests_are_no_roce():
    whole, length = frame("rate-request", wire=90)
    assert (length, whole[34:42].hex(), whole[42:]) == (90, "08b403fd00380000", bytes(48))


@pytest.mark.parametrize(
    ("kind", "wire", "length"),
    [("data", 49, 58), ("data", 58, 58), ("ack", 88, 88), ("cnp", 60, 74), ("pause", 43, 60)],
)
def test_frames_are_as_long_as_the_model_s_unless_headers_need_more(kind, wire, length):
    whole, found = frame(kind, wire=wire)
    assert (found, len(whole)) == (length, length)


def test_what_is_not_captured_counts():
    whole, length = frame("data", 64, wire=1048)
    assert (len(whole), length) == (64, 1048)
    # A frame that is short enough is captured whole, with its ICRC.
    assert frame("ack", 64)[0] == frame("ack")[0]


def test_numbers_wrap_and_queue_pairs_stay_clear_of_those_of_management():
    assert frame("data", wire=100, psn=(1 << 24) + 2)[0][51:54].hex() == "000002"
    assert frame("ack", psn=-1)[0][51:54].hex() == "ffffff"
    pairs = roce.queue_pair(np.array([0, 1, (1 << 24) - 512, (1 << 32) - 1]))
    assert pairs[:3].tolist() == [256, 257, 256]
    assert 256 <= pairs[3] < (1 << 24) - 256


def test_packets_of_all_kinds_together_keep_their_places():
    kinds = [*KINDS, *reversed(KINDS)]
    each = [packet(kind, wire=100 + 8 * place) for place, kind in enumerate(kinds)]
    whole = roce.Packets(*(np.concatenate(column) for column in zip(*each, strict=True)))
    found = {}
    for group in roce.frames(whole, 65535):
        found.update(zip(group.rows.tolist(), map(bytes, group.captured), strict=True))
    expected = [frame(kind, wire=100 + 8 * place)[0] for place, kind in enumerate(kinds)]
    assert [found[place] for place in range(len(kinds))] == expected
