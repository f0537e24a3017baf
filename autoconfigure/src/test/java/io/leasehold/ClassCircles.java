package io.leasehold;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaModifier;

/**
 * Finds the largest sets of classes that all depend on each other, directly or not
 * (strongly connected components, by Tarjan's algorithm). Nested classes count as their
 * outermost one. That an abstract or sealed type knows its own implementations does not
 * count.
 */
final class ClassCircles {

	private final Map<String, Set<String>> uses = new HashMap<>();

	private final Map<String, Integer> found = new HashMap<>();

	private final Deque<String> path = new ArrayDeque<>();

	private final List<Set<String>> circles = new ArrayList<>();

	private ClassCircles(JavaClasses classes) {
		for (JavaClass type : classes) {
			Set<String> used = this.uses.computeIfAbsent(outermost(type).getName(), (name) -> new TreeSet<>());
			type.getDirectDependenciesFromSelf().forEach((dependency) -> add(used, outermost(type), dependency));
		}
	}

	/** Return all sets of two and more classes. */
	static Collection<Set<String>> among(JavaClasses classes) {
		ClassCircles search = new ClassCircles(classes);
		search.uses.keySet().forEach((name) -> {
			if (!search.found.containsKey(name)) {
				search.visit(name);
			}
		});
		return search.circles;
	}

	private static void add(Set<String> used, JavaClass user, Dependency dependency) {
		JavaClass target = outermost(dependency.getTargetClass().getBaseComponentType());
		if (!target.equals(user) && (!target.isAssignableTo(user.getName()) || !isFamily(user))) {
			used.add(target.getName());
		}
	}

	private static boolean isFamily(JavaClass type) {
		return type.getModifiers().contains(JavaModifier.ABSTRACT) || type.reflect().isSealed();
	}

	private static JavaClass outermost(JavaClass type) {
		JavaClass outer = type;
		while (outer.getEnclosingClass().isPresent()) {
			outer = outer.getEnclosingClass().get();
		}
		return outer;
	}

	/** Return the number of the first class that can be reached from one and back. */
	private int visit(String name) {
		int number = this.found.size();
		this.found.put(name, number);
		this.path.push(name);
		int first = number;
		for (String used : this.uses.get(name)) {
			if (!this.found.containsKey(used) && this.uses.containsKey(used)) {
				first = Math.min(first, visit(used));
			}
			else if (this.path.contains(used)) {
				first = Math.min(first, this.found.get(used));
			}
		}
		if (first == number) {
			leave(name);
		}
		return first;
	}

	private void leave(String name) {
		Set<String> circle = new TreeSet<>();
		do {
			circle.add(this.path.pop());
		}
		while (!circle.contains(name));
		if (circle.size() > 1) {
			this.circles.add(circle);
		}
	}

}
