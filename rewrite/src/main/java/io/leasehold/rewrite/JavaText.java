package io.leasehold.rewrite;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.openrewrite.java.tree.Expression;
import org.openrewrite.java.tree.J;

/**
 * Text of a new attribute: literal texts, and constants of the old attribute, joined by
 * {@code +}.
 */
final class JavaText {

	/** Each is a text, a constant of the old attribute, or new code. */
	private final List<Object> parts = new ArrayList<>();

	static JavaText of(String text) {
		return new JavaText().add(text);
	}

	static JavaText of(Expression constant) {
		return new JavaText().add(constant);
	}

	/** Return the text of a number. */
	static JavaText ofNumber(Expression constant, String unit) {
		JavaText text = new JavaText();
		text.parts.add(new Constant(constant, "long"));
		return text.add(unit);
	}

	/** Return the constant of an enum, such as {@code WhenBusy.SKIP}. */
	static JavaText ofCode(String code) {
		JavaText text = new JavaText();
		text.parts.add(new Code(code));
		return text;
	}

	JavaText add(String text) {
		int last = this.parts.size() - 1;
		if (last >= 0 && this.parts.get(last) instanceof String before) {
			this.parts.set(last, before + text);
		}
		else {
			this.parts.add(text);
		}
		return this;
	}

	JavaText add(Expression constant) {
		this.parts.add(new Constant(constant, "java.lang.String"));
		return this;
	}

	boolean contains(String text) {
		return this.parts.stream().anyMatch((part) -> part instanceof String literal && literal.contains(text));
	}

	/** Return the code, in which {@code #{any()}} is a constant. */
	String template() {
		return this.parts.stream().map(JavaText::code).collect(Collectors.joining(" + "));
	}

	Stream<Expression> constants() {
		return this.parts.stream().filter(Constant.class::isInstance).map((part) -> ((Constant) part).value());
	}

	private static String code(Object part) {
		return (part instanceof String text) ? "\"" + escaped(text) + "\"" : part.toString();
	}

	private static String escaped(String text) {
		return text.replace("\\", "\\\\")
			.replace("\"", "\\\"")
			.replace("\t", "\\t")
			.replace("\r", "\\r")
			.replace("\n", "\\n");
	}

	private record Code(String code) {

		@Override
		public String toString() {
			return this.code;
		}

	}

	private record Constant(Expression value, String type) {

		@Override
		public String toString() {
			String code = "#{any(%s)}".formatted(this.type);
			boolean simple = this.value instanceof J.Identifier || this.value instanceof J.FieldAccess;
			return simple ? code : "(" + code + ")";
		}

	}

}
