package io.leasehold.key;

import java.lang.reflect.Proxy;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.Date;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.regex.Pattern;

import io.leasehold.LockKeyException;
import org.jspecify.annotations.Nullable;

import org.springframework.core.convert.TypeDescriptor;
import org.springframework.expression.AccessException;
import org.springframework.expression.EvaluationContext;
import org.springframework.expression.MethodExecutor;
import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.ast.BeanReference;
import org.springframework.expression.spel.ast.CompoundExpression;
import org.springframework.expression.spel.ast.ConstructorReference;
import org.springframework.expression.spel.ast.MethodReference;
import org.springframework.expression.spel.ast.TypeReference;
import org.springframework.expression.spel.support.ReflectiveMethodResolver;
import org.springframework.expression.spel.support.ReflectivePropertyAccessor;
import org.springframework.util.ClassUtils;

/**
 * Methods that a key calls. Methods of the JDK are rejected if their result depends on
 * the process: at startup, or at the call if only the value shows it. Thread-safe.
 */
final class KeyMethods extends ReflectiveMethodResolver {

	/** Static methods whose result depends on the hash codes of their arguments. */
	private static final Set<String> HASHES = Set.of("T(java.util.Objects).hash", "T(java.util.Objects).hashCode",
			"T(java.util.Arrays).hashCode", "T(java.util.Arrays).deepHashCode", "T(System).identityHashCode",
			"T(java.lang.System).identityHashCode");

	/** Static methods that use the time zone or the language of the process. */
	private static final Pattern OF_PROCESS = Pattern
		.compile("T\\(java\\.(time|util)\\.(?!Instant\\)).*\\)\\.(now|systemDefault|systemDefaultZone|getDefault)");

	/** Formats and calendars that use them, whatever their arguments are. */
	private static final Pattern FORMATS = Pattern
		.compile("(new |T\\()java\\.text\\.(?!Normalizer).*|(new |T\\()java\\.util\\.(Gregorian)?Calendar\\b.*"
				+ "|T\\(java\\.time\\.format\\.DateTimeFormatter\\)\\.ofLocalized.*");

	private static final String PATTERN = "T(java.time.format.DateTimeFormatter).ofPattern";

	/** Patterns of {@code DateTimeFormatter} whose text is the same in each language. */
	private static final Pattern NUMERIC = Pattern.compile("'(''[^']*''|[yudDHhKkmsSnNAxX]|M{1,2}(?!M)|[^a-zA-Z'])*'");

	/** Types whose values have the same hash code in each process. */
	private static final Set<Class<?>> STABLE = Set.of(String.class, Boolean.class, Character.class, Byte.class,
			Short.class, Integer.class, Long.class, Float.class, Double.class, BigInteger.class, BigDecimal.class,
			UUID.class);

	/** Members of a date that do not use the time zone of the process. */
	private static final Set<String> OF_INSTANT = Set.of("toInstant", "getTime", "time", "getClass", "class");

	private static final Set<String> NAMES = Set.of("getName", "name", "getSimpleName", "simpleName", "getTypeName",
			"typeName", "getCanonicalName", "canonicalName", "toString");

	private final String text;

	private final KeyVariables variables;

	KeyMethods(String text, KeyVariables variables) {
		this.text = text;
		this.variables = variables;
	}

	/** Check the calls inside a node. */
	void check(SpelNode node) {
		for (int i = 0; i < node.getChildCount(); i++) {
			SpelNode child = node.getChild(i);
			if (child instanceof MethodReference method) {
				check((node instanceof CompoundExpression && i > 0) ? node.getChild(i - 1) : null, method);
			}
			else if (child instanceof ConstructorReference && FORMATS.matcher(child.toStringAST()).matches()) {
				throw dependsOnProcess(child.toStringAST());
			}
			check(child);
		}
	}

	/**
	 * Check a call.
	 * @param receiver what the method is called on, or null for the element of a
	 * projection or selection
	 */
	private void check(@Nullable SpelNode receiver, MethodReference method) {
		String name = method.getName();
		String called = (receiver != null) ? "%s.%s".formatted(receiver.toStringAST(), name) : name;
		if (HASHES.contains(called)) {
			throw problem("contains the hash code %s(...)".formatted(called),
					"Join the parts with +, such as \"'order:' + #id\": hash codes of enums, and of objects that contain"
							+ " one, are different in each process.");
		}
		if (FORMATS.matcher(called).matches() || called.equals(PATTERN) && method.getChildCount() == 1
				&& !NUMERIC.matcher(method.getChild(0).toStringAST()).matches()) {
			throw dependsOnProcess(called);
		}
		if (method.getChildCount() > 0 || receiver instanceof BeanReference) {
			return;
		}
		if (name.equals("hashCode") && STABLE.stream().noneMatch((type) -> mayBe(type, receiver))) {
			throw problem("contains the hash code %s()".formatted(called),
					"Use an id, or the hash code of a text, such as \"#status.name().hashCode()\" of an enum: hash codes of"
							+ " enums, and of objects that contain one, are different in each process.");
		}
		if (isLetterCase(name) && mayBe(String.class, receiver) || OF_PROCESS.matcher(called).matches()) {
			throw dependsOnProcess(called + "()");
		}
	}

	private InvalidKeyExpressionException dependsOnProcess(String called) {
		return problem("depends on the time zone or the language of the process: %s".formatted(called),
				"Pass it, such as \"#name.toLowerCase(T(java.util.Locale).ROOT)\" or"
						+ " \"T(java.time.LocalDate).now(T(java.time.ZoneOffset).UTC)\", and format dates with a"
						+ " java.time.format.DateTimeFormatter.");
	}

	private static boolean isLetterCase(String name) {
		return name.equals("toLowerCase") || name.equals("toUpperCase");
	}

	/** Return whether the value of a node may be of a type. */
	private boolean mayBe(Class<?> type, @Nullable SpelNode node) {
		Class<?> declared = this.variables.type(node);
		return !(node instanceof TypeReference)
				&& (declared == null || ClassUtils.resolvePrimitiveIfNecessary(declared).isAssignableFrom(type));
	}

	private InvalidKeyExpressionException problem(String problem, String action) {
		return InvalidKeyExpressionException.of("key", this.text, problem, action);
	}

	@Override
	public @Nullable MethodExecutor resolve(EvaluationContext context, Object target, String name,
			List<TypeDescriptor> arguments) throws AccessException {
		if (name.equals("hashCode") && arguments.isEmpty() && !STABLE.contains(target.getClass())) {
			throw new LockKeyException(null,
					("the hash code of a %s may be another one in each process: use its id,"
							+ " or the hash code of a text, such as name().hashCode() of an enum")
						.formatted(target.getClass().getTypeName()));
		}
		if (arguments.isEmpty()) {
			checkMember(target, name);
		}
		return super.resolve(context, target, name, arguments);
	}

	/**
	 * Reject a member that uses the charset or the time zone of the process, and the name
	 * of a class that the process has generated.
	 */
	private static void checkMember(Object target, String name) {
		if (target instanceof Class<?> type && (Proxy.isProxyClass(type) || type.isHidden()) && NAMES.contains(name)) {
			throw new LockKeyException(null,
					"the name of the generated class %s is another one in each process: use a fixed text"
						.formatted(type.getTypeName()));
		}
		if (target instanceof String && (name.equals("getBytes") || name.equals("bytes"))) {
			throw new LockKeyException(null,
					"the bytes of a text depend on the charset of the process: use getBytes('UTF-8')");
		}
		if (target.getClass() == Date.class && !OF_INSTANT.contains(name)) {
			throw new LockKeyException(null,
					"%s of a java.util.Date depends on the time zone of the process: use its toInstant()"
						.formatted(name));
		}
	}

	/** Properties that a key reads. Thread-safe. */
	static final class Properties extends ReflectivePropertyAccessor {

		@Override
		public boolean canRead(EvaluationContext context, @Nullable Object target, String name) throws AccessException {
			if (target != null) {
				checkMember(target, name);
			}
			return super.canRead(context, target, name);
		}

	}

}
