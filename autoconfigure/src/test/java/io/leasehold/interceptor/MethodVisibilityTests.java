package io.leasehold.interceptor;

import java.lang.reflect.InvocationTargetException;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import io.leasehold.DistributedLocks;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.util.ReflectionUtils;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A table of the visibility of a method, of the package and class loader of its class, of
 * the bean's class and of its proxy: an annotated method runs under its lock on the bean,
 * or startup fails, and a fallback always runs on the bean.
 */
class MethodVisibilityTests {

	private static final List<String> VISIBILITIES = List.of("public", "protected", "", "private", "public final",
			"final");

	private static final String BASE = """
			package %s;
			import io.leasehold.HeldLockScope;
			import io.leasehold.annotation.DistributedLock;
			public class Base implements %s {
				private final String name = new String("of the bean");
				%s
				public String open() { return "open"; }
				%s
				%s String run() { return this.name + ", locked: " + !HeldLockScope.held().isEmpty(); }
				public static String callOpen(Object bean) { return ((Calls) bean).open(); }
				public static String callRun(Object bean) {
					return (bean instanceof Base base) ? base.run() : ((Runs) bean).run();
				}
			}
			""";

	@TempDir
	static Path directory;

	private static URLClassLoader loader;

	private static URLClassLoader child;

	@BeforeAll
	static void compile() throws Exception {
		Map<String, String> sources = new LinkedHashMap<>();
		Map<String, String> others = new LinkedHashMap<>();
		for (int i = 0; i < VISIBILITIES.size(); i++) {
			addSources("locked" + i, VISIBILITIES.get(i), "", "@DistributedLock(key = \"'k'\")", sources, others);
			addSources("plain" + i, VISIBILITIES.get(i), "@DistributedLock(key = \"'open'\", fallback = \"run\")", "",
					sources, others);
		}
		loader = CompiledBeans.load(directory.resolve("parent"), sources, MethodVisibilityTests.class.getClassLoader());
		child = CompiledBeans.load(directory.resolve("child"), others, loader);
	}

	private static void addSources(String name, String visibility, String open, String run, Map<String, String> sources,
			Map<String, String> others) {
		String contract = visibility.startsWith("public") ? "Runs" : "Calls";
		sources.put(name + ".Calls", "package %s; public interface Calls { String open(); }".formatted(name));
		sources.put(name + ".Runs",
				"package %s; public interface Runs extends Calls { String run(); }".formatted(name));
		sources.put(name + ".Base", BASE.formatted(name, contract, open, run, visibility));
		sources.put(name + ".Leaf", "package %s; public class Leaf extends Base { }".formatted(name));
		sources.put(name + ".far.Leaf", "package %s.far; public class Leaf extends %s.Base { }".formatted(name, name));
		sources.put(name + ".Back", "package %s; public class Back extends %s.far.Leaf { }".formatted(name, name));
		others.put(name + ".Split", "package %s; public class Split extends Base { }".formatted(name));
	}

	@AfterAll
	static void close() throws Exception {
		child.close();
		loader.close();
	}

	@ParameterizedTest(name = "{0} {1} {2}")
	@MethodSource("cells")
	void methodRunsUnderItsLockOrIsRejected(String visibility, Place place, boolean ofClass) throws Exception {
		String name = "locked" + VISIBILITIES.indexOf(visibility);
		Class<?> base = child.loadClass(name + ".Base");
		runner(place, name, ofClass).run((context) -> {
			if (place.isReachable(visibility, ofClass)) {
				assertThat(context).hasNotFailed();
				assertThat(call(base, "callRun", context.getBean("bean"))).isEqualTo("of the bean, locked: true");
			}
			else {
				Locked.refusal(context).hasMessageContaining(".run is ").hasMessageContaining("under its lock");
			}
		});
	}

	@ParameterizedTest(name = "{0} {1} {2}")
	@MethodSource("cells")
	void fallbackRunsOnTheBean(String visibility, Place place, boolean ofClass) throws Exception {
		String name = "plain" + VISIBILITIES.indexOf(visibility);
		Class<?> base = child.loadClass(name + ".Base");
		runner(place, name, ofClass).run((context) -> {
			assertThat(context).hasNotFailed();
			Locked.whileHeld(context.getBean(DistributedLocks.class), "open",
					() -> assertThat(call(base, "callOpen", context.getBean("bean")))
						.isEqualTo("of the bean, locked: false"));
		});
	}

	static Stream<Arguments> cells() {
		return VISIBILITIES.stream()
			.flatMap((visibility) -> Arrays.stream(Place.values())
				.flatMap((place) -> Stream.of(true, false).map((ofClass) -> Arguments.of(visibility, place, ofClass))));
	}

	private static ApplicationContextRunner runner(Place place, String name, boolean ofClass) throws Exception {
		return Locked.runner()
			.withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class))
			.withPropertyValues("spring.aop.proxy-target-class=" + ofClass)
			.withClassLoader(place.inChild ? child : loader)
			.withBean("bean", child.loadClass(name + place.bean));
	}

	/** Call a method as a class of its own package does. */
	private static Object call(Class<?> base, String caller, Object bean) throws Exception {
		try {
			return ReflectionUtils.findMethod(base, caller, Object.class).invoke(null, bean);
		}
		catch (InvocationTargetException ex) {
			return ex.getCause();
		}
	}

	/** Class of the bean, in relation to that of the method. */
	enum Place {

		SAME_CLASS(".Base", false), SUBCLASS(".Leaf", false), OTHER_PACKAGE(".far.Leaf", false),
		BACK_IN_PACKAGE(".Back", false), SPLIT_PACKAGE(".Split", true), PROXY_OF_OTHER_LOADER(".Base", true);

		private final String bean;

		private final boolean inChild;

		Place(String bean, boolean inChild) {
			this.bean = bean;
			this.inChild = inChild;
		}

		/** Whether a proxy of a class overrides the method, or another implements it. */
		boolean isReachable(String visibility, boolean ofClass) {
			return switch (visibility) {
				case "public" -> true;
				case "public final" -> !ofClass;
				case "protected" -> ofClass;
				case "" -> ofClass && this != OTHER_PACKAGE && this != SPLIT_PACKAGE;
				default -> false;
			};
		}

	}

}
