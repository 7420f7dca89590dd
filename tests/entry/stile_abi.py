"""The store ABI in ctypes, as far as documents, enqueue and receive need it.

SPDX-License-Identifier: Apache-2.0
"""
import ctypes as c
import os
import time

OK, HELD, CONFLICT, NOT_FOUND, INVALID, UNSUPPORTED = 0, 5, 6, 7, 8, 10
SKIPPED, UNAVAILABLE, UNKNOWN, INTERRUPTED, UNSET = 12, 14, 18, 20, -1
NEVER = (1 << 63) - 1
OP_ENQUEUE, OP_RECEIVE, OP_GET, OP_PUT = 13, 14, 21, 22
AFTER_OK = 1
IF_ANY, IF_ABSENT = 0, 1
ABI_1_0 = 1 << 16


class Text(c.Structure):
    _fields_ = [("ptr", c.c_char_p), ("len", c.c_uint64)]

    @classmethod
    def of(cls, said):
        said = said.encode() if isinstance(said, str) else said
        return cls(said, len(said))

    def __bytes__(self):
        address = c.cast(self.ptr, c.c_void_p).value if self.len else None
        return c.string_at(address, self.len) if address else b""


class Raw(c.Structure):
    """Bytes of an answer: may hold zero bytes, so no c_char_p."""
    _fields_ = [("ptr", c.c_void_p), ("len", c.c_uint64)]

    def __bytes__(self):
        return c.string_at(self.ptr, self.len) if self.len else b""


class Pair(c.Structure):
    _fields_ = [("key", Text), ("value", Text)]


class Error(c.Structure):
    _fields_ = [("struct_size", c.c_uint32), ("text_cap", c.c_uint32), ("text", c.c_void_p), ("text_len", c.c_uint64)]

    def __init__(self, room=1000):
        self.buffer = c.create_string_buffer(room + 1)
        super().__init__(c.sizeof(Error), room, c.addressof(self.buffer), 0)

    def __str__(self):
        return self.buffer.value.decode()


class Call(c.Structure):
    _fields_ = [("struct_size", c.c_uint32), ("reserved0", c.c_uint32), ("serial", c.c_uint64), ("deadline", c.c_int64)]


ALLOCATE = c.CFUNCTYPE(c.c_void_p, c.c_void_p, c.c_uint64)


class ArenaFace(c.Structure):
    _fields_ = [("struct_size", c.c_uint32), ("reserved0", c.c_uint32), ("ctx", c.c_void_p), ("alloc", ALLOCATE)]


class Id(c.Structure):
    _fields_ = [("bytes", c.c_uint8 * 16)]


class Op(c.Structure):
    _fields_ = [("struct_size", c.c_uint32), ("kind", c.c_uint32), ("must", c.c_uint32), ("status", c.c_int32),
                ("request", c.c_void_p), ("result", c.c_void_p), ("arena", c.POINTER(ArenaFace)), ("op_id", Id),
                ("error", Raw), ("native", Raw), ("retry_after", c.c_int64)]


class Config(c.Structure):
    _fields_ = [("struct_size", c.c_uint32), ("reserved0", c.c_uint32), ("scheme", Text), ("user", Text),
                ("secret", Text), ("hosts", c.POINTER(Pair)), ("n_hosts", c.c_uint64), ("path", Text), ("ns", Text),
                ("options", c.POINTER(Pair)), ("n_options", c.c_uint64), ("passthrough", c.POINTER(Pair)),
                ("n_passthrough", c.c_uint64)]


LOG_LEVEL = c.CFUNCTYPE(c.c_uint32, c.c_void_p)
LOG = c.CFUNCTYPE(None, c.c_void_p, c.c_uint32, Raw, c.c_void_p, c.c_uint64)
HOST_EXTENSION = c.CFUNCTYPE(c.c_void_p, c.c_void_p, Raw)


class Host(c.Structure):
    _fields_ = [("struct_size", c.c_uint32), ("abi", c.c_uint32), ("ctx", c.c_void_p), ("name", Text),
                ("version", Text), ("log_level", LOG_LEVEL), ("log", LOG), ("extension", HOST_EXTENSION)]


class Hello(c.Structure):
    _fields_ = [("struct_size", c.c_uint32), ("abi_min", c.c_uint32), ("abi_max", c.c_uint32),
                ("reserved0", c.c_uint32)]


P = c.c_void_p
STATUS = c.c_int32
ERROR = c.POINTER(Error)
CALL = c.POINTER(Call)


class Plugin(c.Structure):
    _fields_ = [("struct_size", c.c_uint32), ("abi", c.c_uint32), ("flags", c.c_uint32), ("reserved0", c.c_uint32),
                ("name", Raw), ("version", Raw), ("license", Raw), ("help", Raw), ("schemes", P),
                ("n_schemes", c.c_uint64),
                ("options", P), ("n_options", c.c_uint64), ("capabilities", P), ("n_capabilities", c.c_uint64),
                ("start", c.CFUNCTYPE(STATUS, c.POINTER(Host), c.POINTER(P), ERROR)),
                ("stop", c.CFUNCTYPE(None, P)),
                ("open", c.CFUNCTYPE(STATUS, P, CALL, c.POINTER(Config), c.POINTER(P), ERROR)),
                ("close", c.CFUNCTYPE(None, P)),
                ("connect", c.CFUNCTYPE(STATUS, P, CALL, c.POINTER(P), ERROR)),
                ("disconnect", c.CFUNCTYPE(None, P)),
                ("execute", c.CFUNCTYPE(c.c_uint32, P, CALL, c.POINTER(c.POINTER(Op)), c.c_uint64)),
                ("interrupt", c.CFUNCTYPE(None, P, c.c_uint64)),
                ("extension", c.CFUNCTYPE(P, Raw))]


class GetRequest(c.Structure):
    _fields_ = [("struct_size", c.c_uint32), ("reserved0", c.c_uint32), ("key", Text)]


class GetResult(c.Structure):
    _fields_ = [("struct_size", c.c_uint32), ("reserved0", c.c_uint32), ("value", Raw), ("version", Raw),
                ("expires_at", c.c_int64)]


class PutRequest(c.Structure):
    _fields_ = [("struct_size", c.c_uint32), ("condition", c.c_uint32), ("key", Text), ("value", Text),
                ("version", Text), ("ttl", c.c_int64)]


class PutResult(c.Structure):
    _fields_ = [("struct_size", c.c_uint32), ("reserved0", c.c_uint32), ("version", Raw), ("value", Raw)]


class ReceiveRequest(c.Structure):
    _fields_ = [("struct_size", c.c_uint32), ("max", c.c_uint32), ("lease", c.c_int64), ("wait", c.c_int64),
                ("queues", c.POINTER(Text)), ("n_queues", c.c_uint64), ("acquire", c.c_uint32), ("load", c.c_uint32),
                ("acquire_ttl", c.c_int64), ("acquire_budget", c.c_int64), ("load_max_bytes", c.c_uint64),
                ("load_limit", c.c_uint32), ("reserved0", c.c_uint32)]


class ReceiveResult(c.Structure):
    _fields_ = [("struct_size", c.c_uint32), ("more", c.c_uint32), ("deliveries", P), ("store_time", c.c_int64)]


def sized(made):
    made.struct_size = c.sizeof(made)
    return made


class Arena:
    """The memory of one answer: Python keeps every piece until the arena goes."""

    def __init__(self):
        self.pieces = []
        self.face = sized(ArenaFace(alloc=ALLOCATE(self.allocate)))

    def allocate(self, ctx, size):
        piece = c.create_string_buffer(size + 16)
        self.pieces.append(piece)
        return (c.addressof(piece) + 15) & ~15


class Operation:
    def __init__(self, kind, request, result=None, must=0):
        self.request, self.result, self.arena = sized(request), result and sized(result), Arena()
        self.op = sized(Op(kind=kind, must=must, status=UNSET, request=c.addressof(self.request),
                           result=c.addressof(self.result) if self.result else None,
                           arena=c.pointer(self.arena.face)))

    status = property(lambda self: self.op.status)
    error = property(lambda self: bytes(self.op.error).decode())


def put(key, value, condition=IF_ANY, must=0):
    return Operation(OP_PUT, PutRequest(condition=condition, key=Text.of(key), value=Text.of(value)), PutResult(), must)


def get(key, must=0):
    return Operation(OP_GET, GetRequest(key=Text.of(key)), GetResult(), must)


def receive(wait):
    queues = (Text * 1)(Text.of(""))
    request = ReceiveRequest(max=1, lease=1_000_000, wait=wait, queues=queues, n_queues=1)
    return Operation(OP_RECEIVE, request, ReceiveResult())


class Session:
    def __init__(self, store):
        self.table, self.serial, self.handle = store.core.table, 0, P()
        error = Error()
        status = self.table.connect(store.handle, within(10), c.byref(self.handle), c.byref(error))
        if status != OK:
            raise RuntimeError(f"connect: {status}: {error}")

    def execute(self, *operations, seconds=10):
        self.serial += 1
        ops = (c.POINTER(Op) * len(operations))(*[c.pointer(one.op) for one in operations])
        return self.table.execute(self.handle, within(seconds, self.serial), ops, len(operations))

    def interrupt(self):
        self.table.interrupt(self.handle, self.serial)

    def disconnect(self):
        self.table.disconnect(self.handle)


def within(seconds, serial=0):
    deadline = NEVER if seconds is None else int((time.monotonic() + seconds) * 1e6)
    return c.byref(sized(Call(serial=serial, deadline=deadline)))


class Store:
    def __init__(self, core, config, ns="", scheme="stile", **options):
        self.core, self.handle = core, P()
        pairs = (Pair * max(1, len(options)))(*[Pair(Text.of(k), Text.of(v)) for k, v in options.items()])
        said = sized(Config(scheme=Text.of(scheme), path=Text.of(config), ns=Text.of(ns), options=pairs,
                            n_options=len(options)))
        error = Error()
        self.status = core.table.open(core.instance, within(10), c.byref(said), c.byref(self.handle), c.byref(error))
        self.error = str(error)

    def close(self):
        self.core.table.close(self.handle)


class Core:
    """libstile.so, started with a host that keeps what is logged."""

    def __init__(self, abi_min=ABI_1_0, abi_max=ABI_1_0):
        library = c.CDLL(os.environ["LIBSTILE"])
        library.stile_core_entry_v1.restype = c.POINTER(Plugin)
        library.stile_core_entry_v1.argtypes = [c.POINTER(Hello), ERROR]
        error = Error()
        self.logged = []
        self.instance = P()
        hello = sized(Hello(abi_min=abi_min, abi_max=abi_max))
        self.entered = library.stile_core_entry_v1(c.byref(hello), c.byref(error))
        self.refusal = str(error)
        if not self.entered:
            return
        self.table = self.entered.contents
        self.host = sized(Host(abi=ABI_1_0, name=Text.of("python"), version=Text.of("0"),
                               log_level=LOG_LEVEL(lambda ctx: 3), log=LOG(self.log),
                               extension=HOST_EXTENSION(lambda ctx, name: None)))
        status = self.table.start(c.byref(self.host), c.byref(self.instance), c.byref(error))
        if status != OK:
            raise RuntimeError(f"start: {status}: {error}")

    def log(self, ctx, level, message, pairs, n_pairs):
        self.logged.append((level, bytes(message).decode()))

    def stop(self):
        self.table.stop(self.instance)
