package io.leasehold.key;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

import org.jspecify.annotations.Nullable;

/**
 * Values, and whether they can be a part of a key. Two calls of a supplier return equal
 * values.
 */
public final class KeyCatalogue {

	private final List<Row> rows = new ArrayList<>();

	private String group = "";

	/**
	 * Value or expression.
	 *
	 * @param group heading of the table
	 * @param name name of the value
	 * @param refused whether no key is built of it
	 * @param expected text in the key, or a part of the message
	 * @param forms expressions, and the arguments that they are evaluated with
	 * @param value the value
	 * @param other a value that is not equal to it, if there is one
	 */
	public record Row(String group, String name, boolean refused, String expected, Map<String, Form> forms,
			Supplier<@Nullable Object> value, @Nullable Supplier<Object> other) {
	}

	/**
	 * Use of a value in an expression.
	 *
	 * @param method the annotated method
	 * @param argument creates the argument
	 * @param prefix what is in the key before the text of the value, and what is after it
	 */
	record Form(String method, UnaryOperator<@Nullable Object> argument, String prefix, String suffix) {
	}

	/** Object with a property. */
	public static final class Holder {

		private final @Nullable Object value;

		Holder(@Nullable Object value) {
			this.value = value;
		}

		public @Nullable Object getValue() {
			return this.value;
		}

	}

	/** Record that contains a value. */
	record Wrapper(@Nullable Object in) {

	}

	/** Return all rows. */
	public static List<Row> rows() {
		KeyCatalogue catalogue = new KeyCatalogue();
		JdkValues.addTo(catalogue);
		OtherValues.addTo(catalogue);
		KeyUses.addTo(catalogue);
		return catalogue.rows;
	}

	/** Return the rows of values of the JDK. */
	static List<Row> ofJdk() {
		KeyCatalogue catalogue = new KeyCatalogue();
		JdkValues.addTo(catalogue);
		return catalogue.rows;
	}

	KeyCatalogue group(String name) {
		this.group = name;
		return this;
	}

	KeyCatalogue key(String name, String text, Supplier<Object> value, Supplier<Object> other) {
		this.rows.add(new Row(this.group, name, false, text, forms(), value::get, other));
		return this;
	}

	KeyCatalogue refused(String name, String reason, Supplier<@Nullable Object> value) {
		this.rows.add(new Row(this.group, name, true, reason, forms(), value, null));
		return this;
	}

	KeyCatalogue use(String expression, String method, String keys, Supplier<@Nullable Object> value) {
		return use(false, expression, expression, method, keys, value);
	}

	KeyCatalogue refusedUse(String expression, String method, String reason, Supplier<@Nullable Object> value) {
		return use(true, expression, expression, method, reason, value);
	}

	KeyCatalogue refusedUse(String name, String expression, String method, String reason,
			Supplier<@Nullable Object> value) {
		return use(true, name, expression, method, reason, value);
	}

	private KeyCatalogue use(boolean refused, String name, String expression, String method, String expected,
			Supplier<@Nullable Object> value) {
		Map<String, Form> forms = Map.of(expression, new Form(method, UnaryOperator.identity(), "", ""));
		this.rows.add(new Row(this.group, name, refused, expected, forms, value, null));
		return this;
	}

	private static Map<String, Form> forms() {
		Map<String, Form> forms = new LinkedHashMap<>();
		forms.put("#value", new Form("object", UnaryOperator.identity(), "", ""));
		forms.put("'k:' + #value", new Form("object", UnaryOperator.identity(), "k:", ""));
		forms.put("'k:' + #value.value", new Form("object", Holder::new, "k:", ""));
		forms.put("{'k:' + #value, 'k:' + #value}", new Form("object", UnaryOperator.identity(), "k:", ""));
		forms.put("#value.![#this]", new Form("object", KeyCatalogue::listOf, "", ""));
		forms.put("#value.!['k:' + #this]", new Form("object", (value) -> new @Nullable Object[] { value }, "k:", ""));
		forms.put("'in:' + #value", new Form("object", Wrapper::new, "in:Wrapper[in=", "]"));
		forms.put("'deep:' + #value",
				new Form("object", (value) -> new Wrapper(new Wrapper(value)), "deep:Wrapper[in=Wrapper[in=", "]]"));
		return forms;
	}

	private static List<@Nullable Object> listOf(@Nullable Object value) {
		List<@Nullable Object> list = new ArrayList<>();
		list.add(value);
		return list;
	}

}
