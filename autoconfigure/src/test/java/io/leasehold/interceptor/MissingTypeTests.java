package io.leasehold.interceptor;

import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.StreamSupport;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import org.springframework.beans.BeanUtils;
import org.springframework.beans.factory.FactoryBean;
import org.springframework.beans.factory.support.AbstractBeanDefinition;
import org.springframework.beans.factory.support.BeanDefinitionBuilder;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.context.annotation.ImportCandidates;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.util.ClassUtils;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/**
 * A table of beans whose classes refer to a type of an optional library that is absent.
 * An application that starts without Leasehold also starts with it.
 */
class MissingTypeTests {

	@TempDir
	static Path directory;

	private static URLClassLoader loader;

	@BeforeAll
	static void compile() throws Exception {
		Map<String, String> sources = new LinkedHashMap<>();
		sources.put("absent.Missing", "package absent; public class Missing extends RuntimeException { }");
		sources.put("absent.Mark",
				"package absent; @java.lang.annotation.Retention(java.lang.annotation.RetentionPolicy.RUNTIME) public @interface Mark { }");
		sources.put("beans.Uses",
				"package beans; @java.lang.annotation.Retention(java.lang.annotation.RetentionPolicy.RUNTIME) public @interface Uses { Class<?> value(); }");
		sources.put("beans.Returns", "package beans; public interface Returns { absent.Missing run(); }");
		sources.put("beans.Base", "package beans; public class Base { public absent.Missing run() { return null; } }");
		sources.put("beans.LockedBase",
				"package beans; @io.leasehold.annotation.DistributedLock(key = \"'k'\") public class LockedBase { }");
		sources.put("beans.WithLock",
				"package beans; public class WithLock { @io.leasehold.annotation.DistributedLock(key = \"'k'\") public void locked() { } }");
		sources.put("beans.Locked",
				"package beans; public interface Locked { @io.leasehold.annotation.DistributedLock(key = \"'k'\") void locked(); }");
		for (Place place : Place.values()) {
			sources.put(place.bean(), place.source());
			sources.put(place.bean() + "Configuration", """
					package beans;
					import org.springframework.context.annotation.*;
					@Configuration(proxyBeanMethods = false)
					public class %sConfiguration {
						@Bean @Lazy %s %s() { return new %s(); }
					}
					""".formatted(place.name(), place.bean(), place.name(), place.bean()));
		}
		loader = CompiledBeans.load(directory, sources, MissingTypeTests.class.getClassLoader());
		for (String absent : List.of("Missing", "Mark")) {
			Files.delete(directory.resolve("absent/%s.class".formatted(absent)));
		}
	}

	@AfterAll
	static void close() throws Exception {
		loader.close();
	}

	@ParameterizedTest
	@EnumSource
	void applicationStartsAsWithoutLeasehold(Way way) {
		Map<Place, String> outcomes = new EnumMap<>(Place.class);
		application(way).run((context) -> outcomes.putAll(outcomes(context, way)));
		withLeasehold(way)
			.run((context) -> assertThat(outcomes(context, way)).isEqualTo(outcomes).containsValue("works"));
	}

	/** A class that cannot be searched for annotations must not run without its lock. */
	@ParameterizedTest
	@EnumSource(mode = EnumSource.Mode.MATCH_ANY, names = ".*USED")
	void lockedBeanWhoseClassLacksATypeIsNotCreated(Way way) {
		withLeasehold(way)
			.run((context) -> assertThat(Arrays.stream(Place.values()).filter(Place::isLocked)).isNotEmpty()
				.allSatisfy((place) -> assertThatThrownBy(() -> context.getBean(place.name()))
					.hasStackTraceContaining("absent/Missing")));
	}

	private static Class<?>[] all() {
		return StreamSupport
			.stream(ImportCandidates.load(AutoConfiguration.class, MissingTypeTests.class.getClassLoader())
				.spliterator(), false)
			.filter((name) -> name.startsWith("io.leasehold."))
			.map((name) -> ClassUtils.resolveClassName(name, null))
			.toArray(Class<?>[]::new);
	}

	private static ApplicationContextRunner application(Way way) {
		return new ApplicationContextRunner().withClassLoader(loader)
			.withInitializer((context) -> Arrays.stream(Place.values())
				.forEach((place) -> way.register((GenericApplicationContext) context, place)));
	}

	private static ApplicationContextRunner withLeasehold(Way way) {
		return application(way).withConfiguration(AutoConfigurations.of(all()))
			.withPropertyValues("leasehold.engine=local", "leasehold.leadership.roles=r");
	}

	/** Return which beans can be used. Those with a lock are none of this comparison. */
	private static Map<Place, String> outcomes(AssertableApplicationContext context, Way way) {
		assertThat(context).hasNotFailed();
		Map<Place, String> outcomes = new EnumMap<>(Place.class);
		for (Place place : Place.values()) {
			if (!place.isLocked() || !way.isUsed()) {
				outcomes.put(place, outcome(context, way, place));
			}
		}
		return outcomes;
	}

	private static String outcome(AssertableApplicationContext context, Way way, Place place) {
		try {
			return (way.isUsed() && context.containsBean(place.name()) && context.getBean(place.name()) == null)
					? "is null" : "works";
		}
		catch (RuntimeException | LinkageError ex) {
			return "fails";
		}
	}

	/** How the bean is declared. */
	enum Way {

		LAZY, LAZY_BY_NAME, PROTOTYPE, FACTORY_METHOD, FACTORY_BEAN, LAZY_THAT_IS_USED, PRODUCT_THAT_IS_USED,
		PRODUCT_OF_UNKNOWN_TYPE_THAT_IS_USED;

		void register(GenericApplicationContext context, Place place) {
			switch (this) {
				case LAZY_BY_NAME -> context.registerBeanDefinition(place.name(),
						BeanDefinitionBuilder.genericBeanDefinition(place.bean())
							.setLazyInit(true)
							.getBeanDefinition());
				case FACTORY_METHOD -> context.registerBeanDefinition(place.name() + "Configuration",
						BeanDefinitionBuilder.genericBeanDefinition(place.bean() + "Configuration")
							.getBeanDefinition());
				default -> context.registerBeanDefinition(place.name(), definition(place.load()));
			}
		}

		private AbstractBeanDefinition definition(Class<?> type) {
			return switch (this) {
				case FACTORY_BEAN,
						PRODUCT_THAT_IS_USED ->
					BeanDefinitionBuilder.genericBeanDefinition(Products.class)
						.addConstructorArgValue(type)
						.addConstructorArgValue(type)
						.getBeanDefinition();
				case PRODUCT_OF_UNKNOWN_TYPE_THAT_IS_USED -> BeanDefinitionBuilder.genericBeanDefinition(Products.class)
					.addConstructorArgValue(type)
					.addConstructorArgValue(Object.class)
					.getBeanDefinition();
				case PROTOTYPE ->
					BeanDefinitionBuilder.genericBeanDefinition(type).setScope("prototype").getBeanDefinition();
				default -> BeanDefinitionBuilder.genericBeanDefinition(type).setLazyInit(true).getBeanDefinition();
			};
		}

		boolean isUsed() {
			return name().endsWith("USED");
		}

	}

	/**
	 * Where the class refers to the absent type. A class whose superclass is absent fails
	 * startup without Leasehold, too.
	 */
	enum Place {

		RETURN("", "public absent.Missing run() { return null; }"),
		PARAMETER("", "public void run(absent.Missing it) { }"),
		PRIVATE("", "private absent.Missing run() { return null; }"),
		STATIC("", "static absent.Missing run() { return null; }"), FIELD("", "absent.Missing it;"),
		GENERIC("", "public java.util.List<absent.Missing> run() { return null; }"),
		THROWN("", "public void run() throws absent.Missing { }"),
		BODY("", "public void run() { throw new absent.Missing(); }"),
		LAMBDA("", "public Runnable run() { absent.Missing it = null; return () -> System.out.println(it); }"),
		ANNOTATION("", "@absent.Mark public void run() { }"),
		ATTRIBUTE("", "@Uses(absent.Missing.class) public void run() { }"),
		CONSTRUCTOR("", "public %s() { } public %s(absent.Missing it) { }"), INHERITED("extends Base", ""),
		IMPLEMENTED("implements Returns", "public absent.Missing run() { return null; }"),
		LOCKED("",
				"public absent.Missing run() { return null; } @DistributedLock(key = \"'k'\") public void locked() { }"),
		LOCKED_BY_COMPOSITION("",
				"public absent.Missing run() { return null; } @LeaderOnly(\"r\") public void locked() { }"),
		LOCKED_CLASS("extends LockedBase", "public void run(absent.Missing it) { }"),
		LOCKED_BASE("extends WithLock", "public void run(absent.Missing it) { }"),
		LOCKED_CONTRACT("implements Locked", "public void locked() { } public void run(absent.Missing it) { }");

		private final String parents;

		private final String members;

		Place(String parents, String members) {
			this.parents = parents;
			this.members = members;
		}

		String bean() {
			return "beans." + name();
		}

		String source() {
			return "package beans; import io.leasehold.annotation.*; public class %s %s { %s }".formatted(name(),
					this.parents, this.members.replace("%s", name()));
		}

		boolean isLocked() {
			return name().startsWith("LOCKED");
		}

		Class<?> load() {
			return ClassUtils.resolveClassName(bean(), loader);
		}

	}

	static class Products implements FactoryBean<Object> {

		private final Class<?> type;

		private final Class<?> declared;

		Products(Class<?> type, Class<?> declared) {
			this.type = type;
			this.declared = declared;
		}

		@Override
		public Object getObject() {
			return BeanUtils.instantiateClass(this.type);
		}

		@Override
		public Class<?> getObjectType() {
			return this.declared;
		}

	}

}
