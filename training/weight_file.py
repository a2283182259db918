"""Format of the weight files, which src/policy/learned/read-weights.ts reads."""

import json
import struct

import numpy as np


def write_weights(path, header, arrays, names=()):
    """Writes a JSON header with the shapes, the arrays, and the vocabulary."""
    vocabulary = "\n".join(names).encode()
    header["arrays"] = [{"name": n, "type": str(a.dtype), "shape": list(a.shape)} for n, a in arrays.items()]
    header["vocabulary_bytes"] = len(vocabulary)
    encoded = json.dumps(header).encode()
    encoded += b" " * (-(len(encoded) + 8) % 8)
    with open(path, "wb") as file:
        file.write(b"PCWT" + struct.pack("<I", len(encoded)) + encoded)
        for array in arrays.values():
            data = np.ascontiguousarray(array).tobytes()
            file.write(data + b"\0" * (-len(data) % 8))
        file.write(vocabulary)
