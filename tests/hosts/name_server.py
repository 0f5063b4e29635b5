"""
A name server: ``python -m tests.hosts.name_server NAME=ADDRESS…``.

It knows these names, and says of all others that there are none.
"""

import socket
import sys
from typing import Final

import dns.message
import dns.rcode
import dns.rdataclass
import dns.rdatatype
import dns.rrset

PORT: Final = 53


def answer(asked: bytes, known: dict[str, str]) -> bytes:
    """
    Return the answer to a question.
    """
    question = dns.message.from_wire(asked)
    made = dns.message.make_response(question)
    (wanted,) = question.question
    address = known.get(wanted.name.to_text(omit_final_dot=True))
    if address is None:
        made.set_rcode(dns.rcode.NXDOMAIN)
    elif wanted.rdtype == dns.rdatatype.A:
        made.answer.append(
            dns.rrset.from_text(
                wanted.name, 1, dns.rdataclass.IN, dns.rdatatype.A, address
            )
        )
    return made.to_wire()


def main(known: dict[str, str]) -> None:
    """
    Answer until the process is ended.
    """
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as listening:
        listening.bind(("", PORT))
        while True:
            asked, sender = listening.recvfrom(4096)
            listening.sendto(answer(asked, known), sender)


if __name__ == "__main__":
    main(dict(word.split("=", 1) for word in sys.argv[1:]))
