package io.leasehold.key;

import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

import org.jspecify.annotations.Nullable;

import org.springframework.core.DefaultParameterNameDiscoverer;
import org.springframework.core.ParameterNameDiscoverer;
import org.springframework.util.ClassUtils;

/**
 * Variables of an expression: parameters, by name or position, and the target.
 */
final class KeyVariables {

	static final String TARGET = "target";

	/** Names that SpEL defines, whatever the names of parameters. */
	private static final Set<String> RESERVED = Set.of("root", "this");

	private static final ParameterNameDiscoverer DISCOVERER = new DefaultParameterNameDiscoverer();

	private final Map<String, Integer> positions = new HashMap<>();

	/** Positions of parameters whose names mean something else in SpEL. */
	private final Map<String, Integer> hidden = new HashMap<>();

	private final List<String> names = new ArrayList<>();

	private final Class<?>[] types;

	KeyVariables(Method declared, Method method) {
		this.types = method.getParameterTypes();
		for (int i = 0; i < this.types.length; i++) {
			this.positions.put("p" + i, i);
			this.positions.put("a" + i, i);
		}
		// The names of the annotated method take precedence
		addNames(method);
		addNames(declared);
	}

	private void addNames(Method method) {
		@Nullable String @Nullable [] found = DISCOVERER.getParameterNames(method);
		if (found == null) {
			return;
		}
		this.names.clear();
		for (int i = 0; i < found.length; i++) {
			String name = found[i];
			if (name != null) {
				boolean reserved = RESERVED.contains(name);
				(reserved ? this.hidden : this.positions).put(name, i);
				this.names.add(reserved ? "p" + i : name);
			}
		}
	}

	/** Return the position of a variable's parameter, or null if there is none. */
	@Nullable Integer position(String variable) {
		return this.positions.get(variable);
	}

	/** Return the position of a parameter that its name cannot refer to, or null. */
	@Nullable Integer hidden(String name) {
		return this.hidden.get(name);
	}

	boolean isKnown(String variable) {
		return this.positions.containsKey(variable) || TARGET.equals(variable);
	}

	/** Return the declared type of a variable's parameter, or null if there is none. */
	@Nullable Class<?> type(String variable) {
		Integer position = position(variable);
		return (position != null) ? ClassUtils.resolvePrimitiveIfNecessary(this.types[position]) : null;
	}

	boolean isPrimitive(String variable) {
		Integer position = position(variable);
		return position != null && this.types[position].isPrimitive();
	}

	boolean isText(String variable) {
		Integer position = position(variable);
		return position != null && CharSequence.class.isAssignableFrom(this.types[position]);
	}

	/** Whether a variable is a parameter whose text does not identify its kind. */
	boolean isSimple(String variable) {
		Integer position = position(variable);
		return position != null && (ClassUtils.isSimpleValueType(this.types[position]) || this.types[position].isArray()
				|| Iterable.class.isAssignableFrom(this.types[position]));
	}

	/** Whether a variable is a parameter with multiple values. */
	boolean isSeveral(String variable) {
		Integer position = position(variable);
		return position != null
				&& (this.types[position].isArray() || Collection.class.isAssignableFrom(this.types[position])
						|| Map.class.isAssignableFrom(this.types[position]));
	}

	/** Whether the method was compiled without parameter names. */
	boolean lacksNames() {
		return this.types.length > 0 && this.names.isEmpty();
	}

	int count() {
		return this.types.length;
	}

	List<String> names() {
		return this.names;
	}

}
