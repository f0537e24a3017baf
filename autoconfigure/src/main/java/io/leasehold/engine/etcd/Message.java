package io.leasehold.engine.etcd;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

import io.grpc.MethodDescriptor.Marshaller;

/**
 * Message of etcd's protocol, in the encoding of Protocol Buffers. Fields have numbers,
 * and an absent field equals the default of its type. Not thread-safe while it is built.
 */
final class Message {

	static final Marshaller<Message> MARSHALLER = new Marshaller<>() {

		@Override
		public InputStream stream(Message message) {
			ByteBuffer bytes = message.bytes;
			return new ByteArrayInputStream(bytes.array(), bytes.arrayOffset(), bytes.position());
		}

		@Override
		public Message parse(InputStream stream) {
			try {
				return of(ByteBuffer.wrap(stream.readAllBytes()));
			}
			catch (IOException ex) {
				throw new UncheckedIOException(ex);
			}
		}

	};

	private static final int VARINT = 0;

	private static final int FIXED_64 = 1;

	private static final int DELIMITED = 2;

	private static final int FIXED_32 = 5;

	/** Encoded fields, up to its position. */
	private ByteBuffer bytes;

	Message() {
		this(ByteBuffer.allocate(64));
	}

	private Message(ByteBuffer bytes) {
		this.bytes = bytes;
	}

	static Message of(int field, long value) {
		return new Message().with(field, value);
	}

	static Message of(int field, String value) {
		return new Message().with(field, value);
	}

	static Message of(int field, Message value) {
		return new Message().with(field, value);
	}

	Message with(int field, boolean value) {
		return with(field, value ? 1 : 0);
	}

	Message with(int field, long value) {
		append(((long) field << 3) | VARINT);
		append(value);
		return this;
	}

	Message with(int field, String value) {
		return with(field, StandardCharsets.UTF_8.encode(value));
	}

	Message with(int field, Message value) {
		return with(field, value.content());
	}

	/** Add the values of a repeated field. */
	Message with(int field, List<Message> values) {
		values.forEach((value) -> with(field, value));
		return this;
	}

	private Message with(int field, ByteBuffer value) {
		append(((long) field << 3) | DELIMITED);
		append(value.remaining());
		reserve(value.remaining());
		this.bytes.put(value);
		return this;
	}

	private void append(long value) {
		reserve(10);
		long rest = value;
		while ((rest & ~0x7FL) != 0) {
			this.bytes.put((byte) (rest | 0x80));
			rest >>>= 7;
		}
		this.bytes.put((byte) rest);
	}

	private void reserve(int length) {
		if (this.bytes.remaining() < length) {
			this.bytes = ByteBuffer.allocate(2 * this.bytes.capacity() + length).put(content());
		}
	}

	private ByteBuffer content() {
		return this.bytes.duplicate().flip();
	}

	boolean flag(int field) {
		return number(field) != 0;
	}

	/** Return a number, zero if it is absent. */
	long number(int field) {
		List<Object> values = values(field);
		return values.isEmpty() ? 0 : (Long) values.get(values.size() - 1);
	}

	/** Return a string, empty if it is absent. */
	String text(int field) {
		List<String> values = texts(field);
		return values.isEmpty() ? "" : values.get(values.size() - 1);
	}

	List<String> texts(int field) {
		return values(field).stream()
			.map((value) -> StandardCharsets.UTF_8.decode((ByteBuffer) value).toString())
			.toList();
	}

	/** Return a message, empty if it is absent. */
	Message message(int field) {
		List<Message> values = all(field);
		return values.isEmpty() ? new Message() : values.get(values.size() - 1);
	}

	boolean has(int field) {
		return !values(field).isEmpty();
	}

	/** Return the messages of a repeated field. */
	List<Message> all(int field) {
		return values(field).stream().map((value) -> of((ByteBuffer) value)).toList();
	}

	private static Message of(ByteBuffer content) {
		return new Message(content.position(content.limit()));
	}

	/**
	 * Return the values of a field: numbers, or the contents of strings or messages.
	 * @throws RuntimeException if this message is malformed
	 */
	private List<Object> values(int field) {
		List<Object> values = new ArrayList<>();
		ByteBuffer rest = content();
		while (rest.hasRemaining()) {
			long tag = varint(rest);
			Object value = switch ((int) tag & 7) {
				case VARINT -> varint(rest);
				case FIXED_64 -> rest.getLong();
				case DELIMITED -> delimited(rest);
				case FIXED_32 -> (long) rest.getInt();
				default -> throw new IllegalArgumentException("Malformed message");
			};
			if (tag >>> 3 == field) {
				values.add(value);
			}
		}
		return values;
	}

	private static long varint(ByteBuffer rest) {
		long value = 0;
		for (int shift = 0; shift < 64; shift += 7) {
			byte next = rest.get();
			value |= (next & 0x7FL) << shift;
			if (next >= 0) {
				return value;
			}
		}
		throw new IllegalArgumentException("Malformed message");
	}

	private static ByteBuffer delimited(ByteBuffer rest) {
		int length = Math.toIntExact(varint(rest));
		ByteBuffer value = rest.slice(rest.position(), length);
		rest.position(rest.position() + length);
		return value;
	}

}
