package io.leasehold.key;

import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.lang.reflect.RecordComponent;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.charset.Charset;
import java.nio.file.Path;
import java.time.ZoneId;
import java.time.temporal.TemporalAccessor;
import java.time.temporal.TemporalAmount;
import java.util.Arrays;
import java.util.Currency;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.stream.BaseStream;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import org.springframework.core.KotlinDetector;
import org.springframework.util.ClassUtils;
import org.springframework.util.ConcurrentReferenceHashMap;
import org.springframework.util.ConcurrentReferenceHashMap.ReferenceType;
import org.springframework.util.ReflectionUtils;

/**
 * Rule whether values of a type can be a part of a key. Their text must identify them in
 * every process: it is equal for equal values, and different for others.
 *
 * @param problem why no value of the type can be a part, as a predicate
 * @param action what to use instead
 * @param components methods that return the components of a record or data class
 */
record KeyType(@Nullable String problem, String action, List<Method> components) {

	/** Types of the JDK whose text is equal exactly if their values are. */
	private static final Set<Class<?>> IDENTIFIED = Set.of(Boolean.class, Character.class, Byte.class, Short.class,
			Integer.class, Long.class, BigInteger.class, BigDecimal.class, UUID.class, Locale.class, Currency.class,
			Charset.class);

	/** What to use instead of common types. */
	private static final Map<String, String> INSTEAD = Map.of("java.util.Date", "its toInstant()", "java.sql.Date",
			"its toLocalDate()", "java.sql.Time", "its toLocalTime()", "java.util.Calendar", "its toInstant()",
			"java.util.TimeZone", "its getID()", "java.lang.Class", "its getName()", "java.lang.Double",
			"a BigDecimal or a whole number", "java.lang.Float", "a BigDecimal or a whole number");

	/** Weak. A {@code ClassValue} would let types of the JDK keep this class loaded. */
	private static final Map<Class<?>, KeyType> TYPES = new ConcurrentReferenceHashMap<>(16, ReferenceType.WEAK);

	static KeyType of(Class<?> type) {
		return TYPES.computeIfAbsent(type, KeyType::find);
	}

	private static KeyType find(Class<?> type) {
		if (isSeveral(type)) {
			return refused("has a %s where one value is needed".formatted(type.getSimpleName()),
					"use one of its elements, or a collection of whole keys");
		}
		if (Enum.class.isAssignableFrom(type) || CharSequence.class.isAssignableFrom(type)) {
			return new KeyType(null, "", List.of());
		}
		String name = type.getTypeName();
		if (Proxy.isProxyClass(type)) {
			return refused("is a proxy (%s)".formatted(name), "use a value that one of its methods returns");
		}
		if (KotlinDetector.isInlineClass(type)) {
			return refused(
					"is a %s, a Kotlin value class, whose text is another one if it is not boxed".formatted(name),
					"use its property");
		}
		Class<?> declaring = declaring(type, "toString");
		if (declaring == Object.class) {
			return refused("is a %s, which does not override toString()".formatted(name), "use its id");
		}
		if (isOfJdk(declaring)) {
			return isIdentified(declaring) ? new KeyType(null, "", List.of()) : refused(
					"is a %s, whose text does not identify it in every process".formatted(name), instead(declaring));
		}
		if (declaring(type, "equals", Object.class) == Object.class) {
			return refused(
					"is a %s, which does not override equals(), so its text need not identify it".formatted(name),
					"use its id");
		}
		return new KeyType(null, "", componentsOf(type));
	}

	private static KeyType refused(String problem, String action) {
		return new KeyType(problem, action, List.of());
	}

	private static boolean isSeveral(Class<?> type) {
		return type.isArray() || Iterable.class.isAssignableFrom(type) && !Path.class.isAssignableFrom(type)
				|| Map.class.isAssignableFrom(type) || Iterator.class.isAssignableFrom(type)
				|| BaseStream.class.isAssignableFrom(type);
	}

	/** Return the class that declares a method, which is not a generated subclass. */
	private static Class<?> declaring(Class<?> type, String method, Class<?>... parameters) {
		Method found = ReflectionUtils.findMethod(ClassUtils.getUserClass(type), method, parameters);
		return (found != null) ? found.getDeclaringClass() : Object.class;
	}

	private static boolean isOfJdk(Class<?> type) {
		return type.getClassLoader() == null || type.getClassLoader() == ClassLoader.getPlatformClassLoader();
	}

	private static boolean isIdentified(Class<?> type) {
		return IDENTIFIED.contains(type) || type.getName().startsWith("java.time.")
				&& Stream.of(TemporalAccessor.class, TemporalAmount.class, ZoneId.class)
					.anyMatch((kind) -> kind.isAssignableFrom(type));
	}

	private static String instead(Class<?> type) {
		for (Class<?> known = type; known != null; known = known.getSuperclass()) {
			String found = INSTEAD.get(known.getName());
			if (found != null) {
				return "use " + found;
			}
		}
		return type.getName().startsWith("java.util.Optional") ? "use its orElseThrow()"
				: "use one of its values, such as an id or a text";
	}

	/** Return the accessors of a record, or the component methods of Kotlin's classes. */
	private static List<Method> componentsOf(Class<?> type) {
		Stream<Method> components = type.isRecord() ? Arrays.stream(type
			.getRecordComponents()).map(RecordComponent::getAccessor) : KotlinDetector.isKotlinType(type) ? Arrays
				.stream(type.getMethods())
				.filter((method) -> method.getName().matches("component\\d+(-.*)?") && method.getParameterCount() == 0)
					: Stream.empty();
		return components.peek(ReflectionUtils::makeAccessible).toList();
	}

}
