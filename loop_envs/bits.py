"""One-instruction helpers of compiled code: bits to bytes, counts of bits, borrowed rows.

Numba has no spelling for these, so they are written as the instructions that LLVM makes of them.
None of them checks bounds. Under ``NUMBA_DISABLE_JIT=1`` they are plain Python.
"""

from __future__ import annotations

from typing import Any, cast

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from loop_envs.jit import DISABLED, Int

if DISABLED:

    def write64(array: np.ndarray, index: Int, word: Int) -> None:
        """Writes the 64 bits of a word as 64 bytes of 0 or 1 at `index` of an int8 vector."""
        array[index : index + 64] = np.uint64(word) >> np.arange(64, dtype=np.uint64) & np.uint64(1)

    def write16(array: np.ndarray, index: Int, word: Int) -> None:
        """Writes the low 16 bits of a word as 16 bytes of 0 or 1 at `index` of an int8 vector."""
        array[index : index + 16] = int(word) >> np.arange(16) & 1

    def load8(array: np.ndarray, index: Int) -> np.uint64:
        """Reads 8 bytes (little-endian) at `index` of an int8 vector."""
        return cast(np.uint64, array[index : index + 8].copy().view(np.uint64)[0])

    def read64(array: np.ndarray, index: Int) -> int:
        """The 64 bytes at `index` of an int8 vector as 64 bits: 1 where a byte is not 0."""
        return sum(1 << int(i) for i in np.flatnonzero(array[index : index + 64]))

    def row(array: np.ndarray, index: Int) -> np.ndarray:
        """A row of a C-contiguous matrix, borrowed."""
        return cast(np.ndarray, array[index])

    def word64(array: np.ndarray, index: Int) -> np.uint64:
        """The 64-bit word number `index` of an array's memory, whatever its element type."""
        return cast(np.uint64, array.reshape(-1).view(np.uint64)[index])

    def ones(word: Int) -> int:
        """Number of one bits of a word of at most 64 bits."""
        return int(word).bit_count()

    def lowest_bit(word: Int) -> int:
        """Index of the lowest one bit of a non-zero word."""
        return (int(word) & -int(word)).bit_length() - 1

    def highest_bit(word: Int) -> int:
        """Index of the highest one bit of a non-zero word."""
        return int(word).bit_length() - 1

else:

    def _bits_to_bytes(width: int) -> Any:
        # A vector of single bits, widened: a few instructions on any processor.
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            data = cgutils.create_struct_proxy(signature.args[0])(
                context, builder, arguments[0]
            ).data
            spot = builder.gep(data, [arguments[1]])
            bits = arguments[2]
            if width < 64:
                bits = builder.trunc(bits, ir.IntType(width))
            lanes = builder.bitcast(bits, ir.VectorType(ir.IntType(1), width))
            values = builder.zext(lanes, ir.VectorType(ir.IntType(8), width))
            builder.store(values, builder.bitcast(spot, values.type.as_pointer()), align=1)
            return context.get_dummy_value()

        return generate

    @intrinsic  # type: ignore[untyped-decorator]
    def write64(typingctx: Any, array: Any, index: Any, word: Any) -> Any:
        """Writes the 64 bits of a word as 64 bytes of 0 or 1 at `index` of an int8 vector.

        Not bounds-checked.
        """
        return types.none(array, types.intp, types.uint64), _bits_to_bytes(64)

    @intrinsic  # type: ignore[untyped-decorator]
    def write16(typingctx: Any, array: Any, index: Any, word: Any) -> Any:
        """Writes the low 16 bits of a word as 16 bytes of 0 or 1 at `index` of an int8 vector.

        Not bounds-checked.
        """
        return types.none(array, types.intp, types.uint64), _bits_to_bytes(16)

    @intrinsic  # type: ignore[untyped-decorator]
    def load8(typingctx: Any, array: Any, index: Any) -> Any:
        """Reads 8 bytes (little-endian) at `index` of an int8 vector; not bounds-checked."""

        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            data = cgutils.create_struct_proxy(signature.args[0])(
                context, builder, arguments[0]
            ).data
            spot = builder.gep(data, [arguments[1]])
            return builder.load(builder.bitcast(spot, ir.IntType(64).as_pointer()), align=1)

        return types.uint64(array, types.intp), generate

    @intrinsic  # type: ignore[untyped-decorator]
    def read64(typingctx: Any, array: Any, index: Any) -> Any:
        """The 64 bytes at `index` of an int8 vector as 64 bits: 1 where a byte is not 0.

        Undoes `write64`; not bounds-checked.
        """

        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            data = cgutils.create_struct_proxy(signature.args[0])(
                context, builder, arguments[0]
            ).data
            lanes = ir.VectorType(ir.IntType(8), 64)
            spot = builder.bitcast(builder.gep(data, [arguments[1]]), lanes.as_pointer())
            values = builder.load(spot, align=1)
            bits = builder.icmp_unsigned("!=", values, ir.Constant(lanes, None))
            return builder.bitcast(bits, ir.IntType(64))

        return types.uint64(array, types.intp), generate

    @intrinsic  # type: ignore[untyped-decorator]
    def row(typingctx: Any, array: Any, index: Any) -> Any:
        """A row of a C-contiguous matrix, borrowed: no reference is counted.

        ``array[index]`` counts two references, atomically; with two threads on one array that
        costs more than a whole observation. The matrix must outlive the row.
        """
        result = types.Array(array.dtype, 1, "C")

        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            whole = cgutils.create_struct_proxy(signature.args[0])(context, builder, arguments[0])
            _, length = cgutils.unpack_tuple(builder, whole.shape)
            start = builder.mul(arguments[1], length)
            part = cgutils.create_struct_proxy(result)(context, builder)
            part.data = builder.gep(whole.data, [start])
            part.nitems = length
            part.itemsize = whole.itemsize
            part.shape = cgutils.pack_array(builder, [length])
            part.strides = cgutils.pack_array(builder, [whole.itemsize])
            part.meminfo = ir.Constant(part.meminfo.type, None)
            part.parent = ir.Constant(part.parent.type, None)
            return part._getvalue()

        return result(array, types.intp), generate

    @intrinsic  # type: ignore[untyped-decorator]
    def word64(typingctx: Any, array: Any, index: Any) -> Any:
        """The 64-bit word number `index` of an array's memory, whatever its element type."""

        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            array_type, array = signature.args[0], arguments[0]
            data = cgutils.create_struct_proxy(array_type)(context, builder, array).data
            words = builder.bitcast(data, ir.IntType(64).as_pointer())
            return builder.load(builder.gep(words, [arguments[1]]), align=1)

        return types.uint64(array, types.intp), generate

    @intrinsic  # type: ignore[untyped-decorator]
    def ones(typingctx: Any, word: Any) -> Any:
        """Number of one bits of a word of at most 64 bits."""

        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            return builder.ctpop(arguments[0])

        return types.int64(types.uint64), generate

    @intrinsic  # type: ignore[untyped-decorator]
    def lowest_bit(typingctx: Any, word: Any) -> Any:
        """Index of the lowest one bit of a non-zero word."""

        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            return builder.cttz(arguments[0], ir.Constant(ir.IntType(1), 1))

        return types.int64(types.uint64), generate

    @intrinsic  # type: ignore[untyped-decorator]
    def highest_bit(typingctx: Any, word: Any) -> Any:
        """Index of the highest one bit of a non-zero word."""

        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            zeros = builder.ctlz(arguments[0], ir.Constant(ir.IntType(1), 1))
            return builder.sub(ir.Constant(ir.IntType(64), 63), zeros)

        return types.int64(types.uint64), generate
