"""PyTorch tensors: host memory, and pinned and device memory where PyTorch has a GPU."""

import ctypes
import struct

import torch

# Here, at start, and not where they are used: on a busy machine they take longer than a script may.
import torch.distributed as dist
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.distributed.tensor import Shard, distribute_tensor, init_device_mesh

MODULE = PIP = "torch"

CLAIMED = [
    "bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64",
    "float16", "float32", "float64", "bfloat16", "complex32", "complex64", "complex128",
    "float8_e4m3fn", "float8_e4m3fnuz", "float8_e5m2", "float8_e5m2fnuz", "float8_e8m0fnu",
]  # fmt: skip
UNPACKED = ["int4", "uint4", "int2", "uint2"]  # A byte for each; few operations: not claimed.
DTYPES = {name: getattr(torch, name) for name in CLAIMED + UNPACKED if hasattr(torch, name)}
GPU = ("rocm" if torch.version.hip else "cuda") if torch.cuda.is_available() else None
DEVICE_TYPES = {"cpu": 1, "cuda": 10 if torch.version.hip else 2, "xpu": 14, "mps": 8}
PINNED = 11 if torch.version.hip else 3
MEMORIES = ["cpu"] + ([GPU, GPU + "_pinned"] if GPU else [])
# How a program without this file does the same (docs/adapters.md).
REPRO = {
    "import": ["import torch"],
    "dtypes": {name: "torch." + name for name in CLAIMED},
    "make": "torch.frombuffer(bytearray({base}), dtype=torch.uint8).view({dtype})"
            ".as_strided({shape}, {strides}, {offset})",
    "make_empty": "torch.empty({shape}, dtype={dtype})",
    "read": "ctypes.string_at({x}.contiguous().data_ptr(), {x}.nbytes)",
    "pointer": "{x}.data_ptr()",
    "allocation": "({x}.untyped_storage().data_ptr(), {x}.untyped_storage().nbytes())",
    "poke": "{x}[(0,) * {x}.ndim]"
            ".copy_(torch.frombuffer(bytearray({element}), dtype={x}.dtype)[0])",
    "subclass": "{x}.as_subclass({kind})",
    "consume": "torch.from_dlpack({x})",
}  # fmt: skip


def claims():
    return {
        "producer": "torch",
        "version": torch.__version__,
        "dtypes": [name for name in DTYPES if name not in UNPACKED],
        "layouts": ["strided", "offset", "transposed", "broadcast", "empty", "scalar", "rank:64"],
        "devices": ["cpu"] + ([GPU] if GPU else []),
        "memory_kinds": MEMORIES,
        "features": ["writable", "copy"],
    }


streams = []  # Those that use_stream() made current.
consumers = []  # The handle of the stream that it made for a consumer.


def make(spec):
    if streams:
        streams.pop().synchronize()
        torch.cuda.set_stream(torch.cuda.default_stream())
    if spec.dtype not in DTYPES or spec.memory not in MEMORIES:
        return NotImplemented
    # PyTorch has neither read-only tensors nor negative strides.
    if spec.read_only or spec.static or spec.sharded or spec.odd_stride:
        return NotImplemented
    if min(spec.strides, default=0) < 0:
        return NotImplemented
    base = spec.base
    if spec.bits < 8:
        per, mask = 8 // spec.bits, (1 << spec.bits) - 1
        base = bytes(byte >> spec.bits * i & mask for byte in base for i in range(per))
    x = torch.empty(len(base), dtype=torch.uint8)
    ctypes.memmove(x.data_ptr(), base, len(base))
    if spec.memory != "cpu":
        x = x.pin_memory() if spec.memory.endswith("_pinned") else x.cuda()
    return x.view(DTYPES[spec.dtype]).as_strided(spec.shape, spec.strides, spec.offset)


def quantized():
    return torch.quantize_per_tensor(torch.ones(3), 0.5, 1, torch.qint8)


def nested():
    return torch.nested.nested_tensor([torch.ones(2), torch.ones(3)])


def fake():
    with FakeTensorMode():
        return torch.zeros(3)


def batched():
    seen = []
    torch.vmap(lambda x: seen.append(x) or x)(torch.ones(3))
    return seen[0]


def masked():
    return torch.masked.masked_tensor(torch.ones(3), torch.tensor([True, False, True]))


def distributed():
    if not dist.is_initialized():  # One process that talks to nobody.
        dist.init_process_group("gloo", rank=0, world_size=1, store=dist.HashStore())
    return distribute_tensor(torch.ones(4), init_device_mesh("cpu", (1,)), [Shard(0)])


def refusals():
    complex_ones = torch.full((3,), 1 + 2j, dtype=torch.complex64)
    return [
        ("requires grad", lambda: torch.zeros(3, requires_grad=True)),
        ("conjugate view", complex_ones.conj),
        ("negative bit view", lambda: complex_ones.conj().imag),
        ("sparse", lambda: torch.eye(3).to_sparse()),
        ("meta tensor", lambda: torch.zeros(3, device="meta")),
        ("quantized", quantized),
        ("nested", nested),
        ("abstract (fake) tensor", fake),
        ("sparse CSR", lambda: torch.eye(3).to_sparse_csr()),
        ("traced (vmap) tensor", batched),
        ("abstract (functional) tensor", lambda: torch._to_functional_tensor(torch.ones(3))),
        ("lazy zeros", lambda: torch._efficientzerotensor((3,))),
        ("masked tensor", masked),
        ("distributed tensor", distributed),
        ("opaque bits record", lambda: torch.zeros(3, dtype=torch.uint8).view(torch.bits8)),
    ]


def remedies():
    def floats(*values):
        return struct.pack("%df" % len(values), *values)

    ones, eye = floats(1, 1, 1), floats(1, 0, 0, 0, 1, 0, 0, 0, 1)
    padded = torch.nested.to_padded_tensor
    return {
        "requires grad": ("x.detach()", lambda x: x.detach(), floats(0, 0, 0)),
        "conjugate view": ("x.resolve_conj()", lambda x: x.resolve_conj(), floats(*[1, -2] * 3)),
        "negative bit view": ("x.resolve_neg()", lambda x: x.resolve_neg(), floats(-2, -2, -2)),
        "sparse": ("x.to_dense()", lambda x: x.to_dense(), eye),
        "sparse CSR": ("x.to_dense()", lambda x: x.to_dense(), eye),
        "quantized": ("x.dequantize()", lambda x: x.dequantize(), ones),
        "nested": ("torch.nested.to_padded_tensor(x, 0)", lambda x: padded(x, 0.0),
                   floats(1, 1, 0, 1, 1, 1)),
        "masked tensor": ("x.to_tensor(0)", lambda x: x.to_tensor(0.0), floats(1, 0, 1)),
        "lazy zeros": ("x.clone()", lambda x: x.clone(), floats(0, 0, 0)),
        "distributed tensor": ("x.full_tensor()", lambda x: x.full_tensor(), floats(1, 1, 1, 1)),
        "opaque bits record": ("x.view(torch.uint8)", lambda x: x.view(torch.uint8), bytes(3)),
    }  # fmt: skip


def pointer(x):
    return x.data_ptr()


def label(x):
    if x.device.type == "cpu" and x.is_pinned():
        return PINNED, 0
    kind = DEVICE_TYPES.get(x.device.type)
    return None if kind is None else (kind, x.device.index or 0)


def writable(x):
    return True


def shape(x):
    return tuple(x.shape)


def allocation(x):
    storage = x.untyped_storage()
    return storage.data_ptr(), storage.nbytes()


def read(x):
    if type(x) is not torch.Tensor or x.layout != torch.strided:
        return NotImplemented
    if x.is_meta or x.is_nested or x.is_quantized:
        return NotImplemented
    if x._is_zerotensor():
        return bytes(x.nbytes)
    x = x.view(torch.uint8) if str(x.dtype)[6:] in UNPACKED else x
    x = x.detach().cpu().resolve_conj().resolve_neg().contiguous()
    return ctypes.string_at(x.data_ptr(), x.nbytes)


def poke(x, element):
    if x.numel() == 0:
        return NotImplemented
    x[(0,) * x.ndim].copy_(torch.frombuffer(bytearray(element), dtype=x.dtype)[0])


def use_stream(x, what):
    if not x.is_cuda:
        return NotImplemented
    if what == 0:
        streams.append(torch.cuda.Stream(x.device))
        torch.cuda.set_stream(streams[-1])
        return streams[-1].cuda_stream
    if what == 1:
        torch.cuda._sleep(1 << 30)  # Cycles: about half a second.
        x.copy_(x.clone())
        return 0
    if what == 3:
        handle = ctypes.c_void_p()
        if int(torch.cuda.cudart().cudaStreamCreate(ctypes.addressof(handle))) != 0:
            return NotImplemented
        consumers[:] = [handle.value]
        return handle.value
    if what == 4:
        return int(int(torch.cuda.cudart().cudaStreamDestroy(consumers.pop())) == 0)
    if what in (5, 6, 7):  # The legacy default stream is 1, the thread's own 2.
        handle = consumers[0] if what == 7 else what - 4
        return int(torch.cuda.ExternalStream(handle, x.device).query())
    return int(torch.cuda.current_stream(x.device).query())


def subclass(x, kind):
    return x.as_subclass(kind)


def consume(x):
    return torch.from_dlpack(x)
