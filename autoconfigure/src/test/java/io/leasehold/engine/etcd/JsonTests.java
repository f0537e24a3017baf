package io.leasehold.engine.etcd;

import java.util.List;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

class JsonTests {

	@Test
	void readsAResponse() {
		JsonObject response = JsonReader.parse("""
				 {"header":{"revision":"9223372036854775807","raft_term":2}, "succeeded" : true,"more":false,
				  "none":null,"responses":[{"response_put":{}},null,{"response_range":{"kvs":[{"key":"YQ=="}]}}],
				  "keys":["YQ==","Yg=="],"empty":[]}
				""");
		assertThat(response.object("header").number("revision")).isEqualTo(Long.MAX_VALUE);
		assertThat(response.object("header").number("raft_term")).isEqualTo(2);
		assertThat(response.flag("succeeded")).isTrue();
		assertThat(response.flag("more")).isFalse();
		assertThat(response.has("none")).isFalse();
		assertThat(response.objects("responses")).hasSize(2);
		assertThat(response.objects("responses").get(1).object("response_range").objects("kvs").get(0).text("key"))
			.isEqualTo("YQ==");
		assertThat(response.texts("keys")).containsExactly("YQ==", "Yg==");
		assertThat(response.objects("empty")).isEmpty();
	}

	@Test
	void absentMembersAreTheDefaults() {
		JsonObject response = JsonReader.parse("{}");
		assertThat(response.number("deleted")).isZero();
		assertThat(response.flag("succeeded")).isFalse();
		assertThat(response.text("token")).isEmpty();
		assertThat(response.objects("kvs")).isEmpty();
		assertThat(response.texts("keys")).isEmpty();
		assertThat(response.object("header").number("revision")).isZero();
	}

	@Test
	void readsEscapes() {
		JsonObject message = JsonReader.parse("{\"a\\\"\":\"\\\\ \\/ \\b\\f\\n\\r\\t \\u0041\\u00e9\"}");
		assertThat(message.text("a\"")).isEqualTo("\\ / \b\f\n\r\t A\u00e9");
	}

	@Test
	void writesWhatItReads() {
		JsonObject written = JsonObject.of("text", "\"\\\u0001\u00e9/")
			.with("number", Long.MIN_VALUE)
			.with("flag", true)
			.with("list", List.of(JsonObject.of("a", 1), JsonObject.of("b", new JsonObject())))
			.with("texts", List.of("x", "y"));
		assertThat(written).hasToString("{\"text\":\"\\\"\\\\\\u0001\u00e9/\",\"number\":\"-9223372036854775808\","
				+ "\"flag\":true,\"list\":[{\"a\":\"1\"},{\"b\":{}}],\"texts\":[\"x\",\"y\"]}");
		JsonObject read = JsonReader.parse(written.toString());
		assertThat(read).hasToString(written.toString());
		assertThat(read.text("text")).isEqualTo("\"\\\u0001\u00e9/");
		assertThat(read.number("number")).isEqualTo(Long.MIN_VALUE);
	}

	@ParameterizedTest
	@ValueSource(strings = { "", " ", "null", "[]", "\"text\"", "{", "{\"a\"}", "{\"a\":}", "{\"a\":1", "{\"a\":1 2}",
			"{} x", "{\"a\":\"x", "{\"a\":\"\\u00g0\"}", "{\"a\":[1 2]}", "{\"a\":[", "<html>", "Not Found\n",
			"{\"a\":\"\\" })
	void otherTextsAreRefused(String text) {
		assertThatIllegalArgumentException().isThrownBy(() -> JsonReader.parse(text))
			.withMessageStartingWith("not the JSON of etcd");
	}

	@Test
	void depthIsLimited() {
		assertThat(JsonReader.parse("{\"a\":".repeat(50) + "1" + "}".repeat(50)).has("a")).isTrue();
		assertThatIllegalArgumentException().isThrownBy(() -> JsonReader.parse("{\"a\":".repeat(100_000)));
	}

	@Test
	void depthIsThatOfOneValue() {
		String siblings = "{},".repeat(100) + "{}";
		assertThat(JsonReader.parse("{\"a\":[" + siblings + "]}").objects("a")).hasSize(101);
	}

	@Test
	void numbersAndSpacesAreWrittenAsTheyAre() {
		assertThat(JsonReader.parse("{\"a\":-1.5e+3}").text("a")).isEqualTo("-1.5e+3");
		assertThat(JsonObject.of("a", "b c")).hasToString("{\"a\":\"b c\"}");
	}

	@Test
	void textIsNoNumber() {
		assertThatIllegalArgumentException().isThrownBy(() -> JsonReader.parse("{\"a\":\"x\"}").number("a"));
	}

	@Test
	void errorsHaveTwoShapes() {
		EtcdException unary = EtcdException
			.of(JsonReader.parse("{\"error\":\"x\",\"message\":\"not found\",\"code\":5}"));
		EtcdException stream = EtcdException
			.of(JsonReader.parse("{\"grpc_code\":14,\"http_code\":503,\"message\":\"no leader\"}"));
		assertThat(unary.is(EtcdException.NOT_FOUND)).isTrue();
		assertThat(unary.isRejection()).isTrue();
		assertThat(stream.code()).isEqualTo(14);
		assertThat(stream.isRejection()).isFalse();
		assertThat(stream).hasMessage("no leader");
	}

}
