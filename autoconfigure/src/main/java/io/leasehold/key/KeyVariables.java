package io.leasehold.key;

import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

import org.jspecify.annotations.Nullable;

import org.springframework.core.DefaultParameterNameDiscoverer;
import org.springframework.core.ParameterNameDiscoverer;
import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.ast.VariableReference;

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

	/** Return the position of the parameter that a node refers to, or null for none. */
	@Nullable Integer position(@Nullable SpelNode node) {
		return (node instanceof VariableReference) ? position(node.toStringAST().substring(1)) : null;
	}

	/** Return the declared type of the parameter that a node refers to, or null. */
	@Nullable Class<?> type(@Nullable SpelNode node) {
		Integer position = position(node);
		return (position != null) ? this.types[position] : null;
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
