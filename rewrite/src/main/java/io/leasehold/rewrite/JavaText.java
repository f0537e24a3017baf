package io.leasehold.rewrite;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.openrewrite.java.tree.Expression;
import org.openrewrite.java.tree.J;
import org.openrewrite.java.tree.JavaType;

/**
 * Text of a new attribute: literal texts, and constants of the old attribute, joined by
 * {@code +}.
 */
final class JavaText {

	/** Each is a text, an expression of the old attribute, or new code. */
	private final List<Object> parts = new ArrayList<>();

	static JavaText of(String text) {
		return new JavaText().add(text);
	}

	static JavaText of(Expression constant) {
		return new JavaText().add(constant);
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
		this.parts.add(constant);
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
		return this.parts.stream().filter(Expression.class::isInstance).map(Expression.class::cast);
	}

	private static String code(Object part) {
		if (part instanceof Expression constant) {
			String type = (constant.getType() == JavaType.Primitive.String) ? "java.lang.String" : "long";
			String code = "#{any(%s)}".formatted(type);
			return (constant instanceof J.Identifier || constant instanceof J.FieldAccess) ? code : "(" + code + ")";
		}
		return (part instanceof Code code) ? code.code() : "\"" + escaped((String) part) + "\"";
	}

	private static String escaped(String text) {
		return text.replace("\\", "\\\\")
			.replace("\"", "\\\"")
			.replace("\t", "\\t")
			.replace("\r", "\\r")
			.replace("\n", "\\n");
	}

	private record Code(String code) {

	}

}
