package io.leasehold.engine.etcd;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

/**
 * Parser of the JSON that etcd's gateway sends. Numbers are returned as text, because
 * etcd writes 64-bit numbers as strings. Not thread-safe.
 */
final class JsonReader {

	/** More than etcd's responses have; protects the stack from other servers' bodies. */
	private static final int MAX_DEPTH = 50;

	private final String text;

	private int at;

	private int depth;

	private JsonReader(String text) {
		this.text = text;
	}

	/**
	 * Parse an object.
	 * @param text the whole text
	 * @return the object
	 * @throws IllegalArgumentException if the text is not one JSON object
	 */
	static JsonObject parse(String text) {
		JsonReader reader = new JsonReader(text);
		Object value = reader.value();
		reader.skipSpace();
		if (!(value instanceof JsonObject object) || reader.at < text.length()) {
			throw reader.malformed();
		}
		return object;
	}

	private @Nullable Object value() {
		return switch (peek()) {
			case '{' -> nested(this::object);
			case '[' -> nested(this::array);
			case '"' -> string();
			default -> literal();
		};
	}

	private <T> T nested(Supplier<T> parser) {
		if (++this.depth > MAX_DEPTH) {
			throw malformed();
		}
		T value = parser.get();
		this.depth--;
		return value;
	}

	private JsonObject object() {
		Map<String, Object> members = new LinkedHashMap<>();
		expect('{');
		while (peek() != '}') {
			String name = string();
			expect(':');
			Object value = value();
			if (value != null) {
				members.put(name, value);
			}
			if (peek() != '}') {
				expect(',');
			}
		}
		expect('}');
		return new JsonObject(members);
	}

	private List<Object> array() {
		List<Object> elements = new ArrayList<>();
		expect('[');
		while (peek() != ']') {
			Object value = value();
			if (value != null) {
				elements.add(value);
			}
			if (peek() != ']') {
				expect(',');
			}
		}
		expect(']');
		return elements;
	}

	private String string() {
		expect('"');
		int begin = this.at;
		int end = begin;
		while (at(end) != '"' && at(end) != '\\') {
			end++;
		}
		this.at = end;
		if (at(end) == '"') {
			this.at++;
			return this.text.substring(begin, end);
		}
		return escaped(new StringBuilder(this.text.substring(begin, end)));
	}

	private String escaped(StringBuilder result) {
		for (char c = next(); c != '"'; c = next()) {
			result.append((c != '\\') ? c : escape(next()));
		}
		return result.toString();
	}

	private char escape(char code) {
		return switch (code) {
			case 'b' -> '\b';
			case 'f' -> '\f';
			case 'n' -> '\n';
			case 'r' -> '\r';
			case 't' -> '\t';
			case 'u' -> unicode();
			default -> code;
		};
	}

	private char unicode() {
		int code = 0;
		for (int i = 0; i < 4; i++) {
			int digit = Character.digit(next(), 16);
			if (digit < 0) {
				throw malformed();
			}
			code = code * 16 + digit;
		}
		return (char) code;
	}

	/** Return a number as text, a flag as a boolean, and {@code null} for null. */
	private @Nullable Object literal() {
		int begin = this.at;
		while (this.at < this.text.length() && isWord(this.text.charAt(this.at))) {
			this.at++;
		}
		String word = this.text.substring(begin, this.at);
		return switch (word) {
			case "" -> throw malformed();
			case "null" -> null;
			case "true" -> Boolean.TRUE;
			case "false" -> Boolean.FALSE;
			default -> word;
		};
	}

	private static boolean isWord(char c) {
		return Character.isLetterOrDigit(c) || c == '+' || c == '-' || c == '.';
	}

	private void expect(char c) {
		if (peek() != c) {
			throw malformed();
		}
		this.at++;
	}

	private char peek() {
		skipSpace();
		return at(this.at);
	}

	private char next() {
		return at(this.at++);
	}

	private char at(int index) {
		if (index >= this.text.length()) {
			throw malformed();
		}
		return this.text.charAt(index);
	}

	private void skipSpace() {
		while (this.at < this.text.length() && " \t\r\n".indexOf(this.text.charAt(this.at)) >= 0) {
			this.at++;
		}
	}

	private IllegalArgumentException malformed() {
		return new IllegalArgumentException(
				"not the JSON of etcd, at character %d of %d".formatted(this.at, this.text.length()));
	}

}
