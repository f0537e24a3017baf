package io.leasehold.benchmark.worker;

import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * A few numbers that the workers of a machine share by a mapped file, so that they can
 * watch each other without the store. Thread-safe.
 */
public final class Board {

	private static final VarHandle LONGS = MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.nativeOrder());

	private static final int SIZE = 64;

	private final ByteBuffer numbers;

	private Board(ByteBuffer numbers) {
		this.numbers = numbers;
	}

	/**
	 * Open a board, which shows zeros in the beginning.
	 * @param file the file, made if absent
	 */
	public static Board open(String file) throws IOException {
		try (FileChannel channel = FileChannel.open(Path.of(file), StandardOpenOption.CREATE, StandardOpenOption.READ,
				StandardOpenOption.WRITE)) {
			return new Board(channel.map(FileChannel.MapMode.READ_WRITE, 0, SIZE * Long.BYTES));
		}
	}

	public long get(int place) {
		return (long) LONGS.getVolatile(this.numbers, place * Long.BYTES);
	}

	public void set(int place, long value) {
		LONGS.setVolatile(this.numbers, place * Long.BYTES, value);
	}

	/** Add to a number, and return the sum. */
	public long add(int place, long delta) {
		return (long) LONGS.getAndAdd(this.numbers, place * Long.BYTES, delta) + delta;
	}

}
