"""Bit intrinsics: extract, deposit, counting, prefetch, each with a portable twin where processors differ.

The only file that speaks LLVM. `extract` and `deposit` are PEXT and PDEP; `merels.kernels.jit.PORTABLE` decides at import whether
they are the processor's instructions or byte tables. Both give the same numbers.
"""

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from merels.kernels.jit import PORTABLE, inlined

_I64 = ir.IntType(64)


def _declare(builder, name, result, arguments):
    module = builder.module
    return module.globals.get(name) or ir.Function(module, ir.FunctionType(result, arguments), name)


@intrinsic
def extract_native(typing_context, x, mask):
    """PEXT: the bits of ``x`` under ``mask``, packed to the right."""

    def code(context, builder, signature, arguments):
        return builder.call(_declare(builder, "llvm.x86.bmi.pext.64", _I64, [_I64, _I64]), arguments)

    return types.int64(types.int64, types.int64), code


@intrinsic
def deposit_native(typing_context, x, mask):
    """PDEP: the low bits of ``x`` spread to the places of ``mask``."""

    def code(context, builder, signature, arguments):
        return builder.call(_declare(builder, "llvm.x86.bmi.pdep.64", _I64, [_I64, _I64]), arguments)

    return types.int64(types.int64, types.int64), code


@intrinsic
def trailing_zeros(typing_context, x):
    """Index of the lowest set bit of ``x`` (64 for 0)."""

    def code(context, builder, signature, arguments):
        return builder.cttz(arguments[0], ir.Constant(ir.IntType(1), 0))

    return types.int64(types.int64), code


@intrinsic
def popcount(typing_context, x):
    """Number of set bits of ``x``."""

    def code(context, builder, signature, arguments):
        return builder.ctpop(arguments[0])

    return types.int64(types.int64), code


def _prefetch(context, builder, address, write):
    i32, pointer = ir.IntType(32), ir.IntType(8).as_pointer()
    function = _declare(builder, "llvm.prefetch.p0", ir.VoidType(), [pointer, i32, i32, i32])
    locality, data = ir.Constant(i32, 3), ir.Constant(i32, 1)
    builder.call(function, [builder.inttoptr(address, pointer), ir.Constant(i32, write), locality, data])
    return context.get_dummy_value()


@intrinsic
def prefetch(typing_context, address):
    """Ask for the cache line at ``address``, to be read; never faults."""

    def code(context, builder, signature, arguments):
        return _prefetch(context, builder, arguments[0], 0)

    return types.void(types.int64), code


@intrinsic
def prefetch_to_write(typing_context, address):
    """`prefetch` for a line that will be written; between threads that only read a line it would wander to and fro."""

    def code(context, builder, signature, arguments):
        return _prefetch(context, builder, arguments[0], 1)

    return types.void(types.int64), code


def _byte_tables():
    """``pack[m << 8 | x]`` = PEXT of two bytes, ``spread[m << 8 | x]`` = PDEP of two bytes; uint8 of 65,536 entries each."""
    mask, x = np.divmod(np.arange(1 << 16, dtype=np.int64), 256)
    pack, spread, taken = np.zeros(1 << 16, np.int64), np.zeros(1 << 16, np.int64), np.zeros(1 << 16, np.int64)
    for bit in range(8):
        inside = mask >> bit & 1
        pack |= (inside & x >> bit) << taken
        spread |= (inside & x >> taken) << bit
        taken += inside
    return pack.astype(np.uint8), spread.astype(np.uint8)


_PACK, _SPREAD = _byte_tables()


@inlined
def extract_portable(x, mask):
    """`extract_native` by byte tables; ``mask`` below 2**32."""
    result = np.int64(0)
    shift = np.int64(0)
    for low in range(0, 32, 8):
        byte = (mask >> low) & 255
        result |= np.int64(_PACK[(byte << 8) | ((x >> low) & 255)]) << shift
        shift += popcount(byte)
    return result


@inlined
def deposit_portable(x, mask):
    """`deposit_native` by byte tables; ``mask`` below 2**32."""
    result = np.int64(0)
    for low in range(0, 32, 8):
        byte = (mask >> low) & 255
        result |= np.int64(_SPREAD[(byte << 8) | (x & 255)]) << low
        x >>= popcount(byte)
    return result


if PORTABLE:
    extract, deposit = extract_portable, deposit_portable
else:
    extract, deposit = extract_native, deposit_native
