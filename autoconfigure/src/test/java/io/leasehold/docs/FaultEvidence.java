package io.leasehold.docs;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;
import org.junit.platform.commons.annotation.Testable;
import org.junit.platform.commons.support.AnnotationSupport;
import org.junit.platform.commons.support.HierarchyTraversalMode;
import org.junit.platform.commons.support.ReflectionSupport;

import io.leasehold.test.contract.Fault;

/**
 * What the tests show of the catalogue of faults, each in every class that runs it.
 */
final class FaultEvidence {

	private static final Pattern ENGINE = Pattern.compile("io\\.leasehold\\.engine\\.(\\w+)\\..*");

	private final List<Shown> all = new ArrayList<>();

	FaultEvidence() {
		ReflectionSupport
			.findAllClassesInPackage("io.leasehold", (type) -> !Modifier.isAbstract(type.getModifiers()),
					(name) -> name.endsWith("Tests"))
			.forEach(this::read);
	}

	private void read(Class<?> test) {
		for (Class<?> type = test; type != null; type = type.getSuperclass()) {
			add(test, type.getDeclaredAnnotation(Fault.class), type.getSimpleName());
		}
		for (Method method : ReflectionSupport.findMethods(test,
				(candidate) -> AnnotationSupport.isAnnotated(candidate, Testable.class),
				HierarchyTraversalMode.TOP_DOWN)) {
			add(test, method.getDeclaredAnnotation(Fault.class),
					method.getDeclaringClass().getSimpleName() + "." + method.getName());
		}
	}

	private void add(Class<?> test, @Nullable Fault fault, String name) {
		if (fault != null) {
			for (int row : fault.value()) {
				this.all.add(new Shown(row, fault.engine().isEmpty() ? engine(test) : fault.engine(), name));
			}
		}
	}

	/** Name of the engine in whose package a test is, empty above the engines. */
	private static String engine(Class<?> test) {
		Matcher engine = ENGINE.matcher(test.getName());
		return engine.matches() ? engine.group(1) : "";
	}

	boolean has(int row, String engine) {
		return this.all.stream().anyMatch((shown) -> shown.row() == row && shown.engine().equals(engine));
	}

	/** Names of the tests of a fault, in the order of the alphabet. */
	TreeSet<String> tests(int row) {
		TreeSet<String> names = new TreeSet<>();
		this.all.stream().filter((shown) -> shown.row() == row).map(Shown::name).forEach(names::add);
		return names;
	}

	TreeSet<Integer> rows() {
		TreeSet<Integer> rows = new TreeSet<>();
		this.all.forEach((shown) -> rows.add(shown.row()));
		return rows;
	}

	private record Shown(int row, String engine, String name) {
	}

}
