package io.leasehold.engine.etcd;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.util.HexFormat;
import java.util.List;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatRuntimeException;

/**
 * Tests for {@link Message}. The codes are those that {@code protoc --encode} writes.
 */
class MessageTests {

	@Test
	void fieldsAreEncodedAsProtocolBuffers() throws IOException {
		assertThat(encode(Message.of(1, "k").with(3, 300).with(8, true))).isEqualTo("0a016b18ac024001");
		assertThat(encode(Message.of(64, ""))).isEqualTo("820400");
		assertThat(encode(new Message().with(2, List.of(Message.of(1, 1), Message.of(1, 2)))))
			.isEqualTo("120208011202" + "0802");
	}

	@ParameterizedTest
	@ValueSource(longs = { 0, 1, 127, 128, Integer.MAX_VALUE, Long.MAX_VALUE, -1, Long.MIN_VALUE })
	void numbersAreReadAsTheyWereWritten(long number) throws IOException {
		assertThat(decode(encode(Message.of(5, number))).number(5)).isEqualTo(number);
	}

	@Test
	void textsAndMessagesAreReadAsTheyWereWritten() throws IOException {
		String text = "käy \uD83D\uDD12 ".repeat(300);
		Message inner = Message.of(1, text).with(1, "last");
		Message message = decode(encode(Message.of(7, inner).with(2, 5).with(7, Message.of(1, text))));
		assertThat(message.all(7).get(0).texts(1)).containsExactly(text, "last");
		assertThat(message.all(7).get(0).text(1)).isEqualTo("last");
		assertThat(message.message(7).text(1)).isEqualTo(text);
		assertThat(message.has(7)).isTrue();
	}

	@Test
	void absentFieldsHaveTheDefaultOfTheirType() {
		Message message = new Message();
		assertThat(message.number(1)).isZero();
		assertThat(message.flag(1)).isFalse();
		assertThat(message.text(1)).isEmpty();
		assertThat(message.all(1)).isEmpty();
		assertThat(message.has(1)).isFalse();
		assertThat(message.message(1).number(3)).isZero();
	}

	/** A later version of etcd may send them, of any type. */
	@Test
	void unknownFieldsAreSkipped() {
		Message message = decode("09" + "0102030405060708" + "15" + "01020304" + "1a0161" + "2005" + "2a0162");
		assertThat(message.number(4)).isEqualTo(5);
		assertThat(message.text(5)).isEqualTo("b");
	}

	@ParameterizedTest
	@ValueSource(
			strings = { "08", "0a05", "0aff", "0affffffffffffffffff01", "0b", "09010203", "08ffffffffffffffffffff" })
	void malformedMessagesAreRejected(String code) {
		assertThatRuntimeException().isThrownBy(() -> decode(code).number(1));
	}

	private static String encode(Message message) throws IOException {
		return HexFormat.of().formatHex(Message.MARSHALLER.stream(message).readAllBytes());
	}

	private static Message decode(String code) {
		return Message.MARSHALLER.parse(new ByteArrayInputStream(HexFormat.of().parseHex(code)));
	}

}
