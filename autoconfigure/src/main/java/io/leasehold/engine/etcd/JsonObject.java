package io.leasehold.engine.etcd;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;

/**
 * JSON object of a request or response. As in etcd's protocol, an absent member equals
 * the default of its type. Not thread-safe while it is built.
 */
final class JsonObject {

	private final Map<String, Object> members;

	JsonObject() {
		this(new LinkedHashMap<>());
	}

	JsonObject(Map<String, Object> members) {
		this.members = members;
	}

	static JsonObject of(String name, Object value) {
		return new JsonObject().with(name, value);
	}

	/**
	 * Set a member.
	 * @param value a string, boolean, object, list, or a number, written as a string
	 */
	JsonObject with(String name, Object value) {
		this.members.put(name, value);
		return this;
	}

	/** Return a member of type object, empty if it is absent. */
	JsonObject object(String name) {
		return (this.members.get(name) instanceof JsonObject object) ? object : new JsonObject();
	}

	/** Return the objects of an array, empty if it is absent. */
	List<JsonObject> objects(String name) {
		return array(name).stream().filter(JsonObject.class::isInstance).map(JsonObject.class::cast).toList();
	}

	/** Return the strings of an array, empty if it is absent. */
	List<String> texts(String name) {
		return array(name).stream().filter(String.class::isInstance).map(String.class::cast).toList();
	}

	private List<?> array(String name) {
		return (this.members.get(name) instanceof List<?> list) ? list : List.of();
	}

	boolean has(String name) {
		return this.members.containsKey(name);
	}

	boolean flag(String name) {
		return Boolean.TRUE.equals(this.members.get(name));
	}

	String text(String name) {
		return (this.members.get(name) instanceof String text) ? text : "";
	}

	/**
	 * Return a number.
	 * @return the number, zero if it is absent
	 * @throws IllegalArgumentException if the member is not a number
	 */
	long number(String name) {
		Object value = this.members.get(name);
		return (value != null) ? Long.parseLong(value.toString()) : 0;
	}

	/** Return the JSON text. */
	@Override
	public String toString() {
		StringBuilder text = new StringBuilder(256);
		write(this, text);
		return text.toString();
	}

	private static void write(@Nullable Object value, StringBuilder to) {
		if (value instanceof JsonObject object) {
			to.append('{');
			object.members.forEach((name, member) -> {
				separate(to, '{');
				write(name, to);
				write(member, to.append(':'));
			});
			to.append('}');
		}
		else if (value instanceof List<?> list) {
			to.append('[');
			list.forEach((element) -> {
				separate(to, '[');
				write(element, to);
			});
			to.append(']');
		}
		else if (value instanceof Boolean) {
			to.append(value);
		}
		else {
			quote(String.valueOf(value), to);
		}
	}

	private static void separate(StringBuilder to, char begin) {
		if (to.charAt(to.length() - 1) != begin) {
			to.append(',');
		}
	}

	private static void quote(String text, StringBuilder to) {
		to.append('"');
		for (int i = 0; i < text.length(); i++) {
			char c = text.charAt(i);
			if (c < ' ') {
				to.append("\\u%04x".formatted((int) c));
			}
			else {
				to.append((c == '"' || c == '\\') ? "\\" : "").append(c);
			}
		}
		to.append('"');
	}

}
