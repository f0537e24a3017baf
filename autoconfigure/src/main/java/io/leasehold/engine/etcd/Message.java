package io.leasehold.engine.etcd;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
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
			return new ByteArrayInputStream(message.bytes, 0, message.end);
		}

		@Override
		public Message parse(InputStream stream) {
			try {
				return new Message(stream.readAllBytes());
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

	private byte[] bytes;

	private int end;

	Message() {
		this.bytes = new byte[64];
	}

	private Message(byte[] bytes) {
		this.bytes = bytes;
		this.end = bytes.length;
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
		byte[] text = value.getBytes(StandardCharsets.UTF_8);
		return with(field, text, text.length);
	}

	Message with(int field, Message value) {
		return with(field, value.bytes, value.end);
	}

	/** Add the values of a repeated field. */
	Message with(int field, List<Message> values) {
		values.forEach((value) -> with(field, value));
		return this;
	}

	private Message with(int field, byte[] value, int length) {
		append(((long) field << 3) | DELIMITED);
		append(length);
		reserve(length);
		System.arraycopy(value, 0, this.bytes, this.end, length);
		this.end += length;
		return this;
	}

	private void append(long value) {
		reserve(10);
		long rest = value;
		while ((rest & ~0x7FL) != 0) {
			this.bytes[this.end++] = (byte) (rest | 0x80);
			rest >>>= 7;
		}
		this.bytes[this.end++] = (byte) rest;
	}

	private void reserve(int length) {
		if (this.bytes.length - this.end < length) {
			this.bytes = Arrays.copyOf(this.bytes, 2 * this.bytes.length + length);
		}
	}

	boolean flag(int field) {
		return number(field) != 0;
	}

	/** Return a number, zero if it is absent. */
	long number(int field) {
		Scan scan = new Scan();
		long value = 0;
		while (scan.next()) {
			value = (scan.field == field) ? scan.number : value;
		}
		return value;
	}

	/** Return a string, empty if it is absent. */
	String text(int field) {
		List<Message> values = all(field);
		return values.isEmpty() ? "" : values.get(values.size() - 1).text();
	}

	List<String> texts(int field) {
		return all(field).stream().map(Message::text).toList();
	}

	/** Return a message, empty if it is absent. */
	Message message(int field) {
		List<Message> values = all(field);
		return values.isEmpty() ? new Message() : values.get(values.size() - 1);
	}

	boolean has(int field) {
		return !all(field).isEmpty();
	}

	/** Return the messages of a repeated field. */
	List<Message> all(int field) {
		List<Message> values = new ArrayList<>();
		Scan scan = new Scan();
		while (scan.next()) {
			if (scan.field == field) {
				values.add(new Message(Arrays.copyOfRange(this.bytes, scan.from, scan.to)));
			}
		}
		return values;
	}

	private String text() {
		return new String(this.bytes, 0, this.end, StandardCharsets.UTF_8);
	}

	/**
	 * Reader of the fields, one after another.
	 */
	private final class Scan {

		private int field;

		private long number;

		/** Bounds of the value of a string or message. */
		private int from;

		private int to;

		/**
		 * Read the next field, and return whether there was one.
		 * @throws IllegalArgumentException if the message is malformed
		 */
		private boolean next() {
			if (this.to == Message.this.end) {
				return false;
			}
			long tag = varint();
			this.field = (int) (tag >>> 3);
			switch ((int) tag & 7) {
				case VARINT -> this.number = varint();
				case FIXED_64 -> skip(8);
				case DELIMITED -> skip(varint());
				case FIXED_32 -> skip(4);
				default -> throw new IllegalArgumentException("Malformed message");
			}
			return true;
		}

		private long varint() {
			long value = 0;
			for (int shift = 0; shift < 64; shift += 7) {
				skip(1);
				byte next = Message.this.bytes[this.from];
				value |= (next & 0x7FL) << shift;
				if (next >= 0) {
					return value;
				}
			}
			throw new IllegalArgumentException("Malformed message");
		}

		private void skip(long length) {
			if (length < 0 || length > Message.this.end - this.to) {
				throw new IllegalArgumentException("Malformed message");
			}
			this.from = this.to;
			this.to += (int) length;
		}

	}

}
