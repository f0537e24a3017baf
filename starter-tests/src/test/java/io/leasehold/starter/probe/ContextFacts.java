package io.leasehold.starter.probe;

import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;

import org.springframework.aop.Advisor;
import org.springframework.aop.config.AopConfigUtils;
import org.springframework.aop.framework.Advised;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.support.AbstractBeanDefinition;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.boot.autoconfigure.condition.ConditionEvaluationReport;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.env.PropertySource;
import org.springframework.util.ClassUtils;

/**
 * Facts about a context, without those of Leasehold.
 */
class ContextFacts {

	/** Named after the component of the health endpoint. */
	private static final String HEALTH = "locksHealthContributor";

	private final ConfigurableApplicationContext context;

	private final DefaultListableBeanFactory beans;

	ContextFacts(ConfigurableApplicationContext context) {
		this.context = context;
		this.beans = (DefaultListableBeanFactory) context.getBeanFactory();
	}

	void addTo(Map<String, List<String>> facts) {
		facts.put("bean definitions in order",
				names(this.beans.getBeanDefinitionNames()).map(this::definition).toList());
		facts.put("singletons", names(this.beans.getSingletonNames()).sorted().toList());
		facts.put("beans of the application that precede post-processors", early());
		facts.put("post-processors in order",
				this.beans.getBeanPostProcessors()
					.stream()
					.map((processor) -> processor.getClass().getName())
					.filter((name) -> !name.startsWith("io.leasehold.") || name.contains(".starter."))
					.toList());
		facts.put("conditions", conditions());
		facts.put("property sources",
				this.context.getEnvironment().getPropertySources().stream().map(PropertySource::getName).toList());
		facts.put("advisors", names(this.beans.getBeanDefinitionNames()).flatMap(this::advisors).toList());
		facts.put("foreign types", foreignTypes());
	}

	/** Boot registers the creator of proxies, too, maybe later. */
	private static Stream<String> names(String[] all) {
		return Arrays.stream(all)
			.filter((name) -> !isOurs(name) && !name.equals(AopConfigUtils.AUTO_PROXY_CREATOR_BEAN_NAME));
	}

	/** The message source is the first bean after the post-processors. */
	private List<String> early() {
		return names(this.beans.getSingletonNames()).takeWhile((name) -> !name.equals("messageSource"))
			.filter((name) -> this.beans.containsBeanDefinition(name)
					&& this.beans.getBeanDefinition(name).getRole() == BeanDefinition.ROLE_APPLICATION)
			.toList();
	}

	private static boolean isOurs(String name) {
		return name.startsWith("leasehold") || name.startsWith("io.leasehold.autoconfigure.") || name.equals(HEALTH);
	}

	private String definition(String name) {
		BeanDefinition definition = this.beans.getMergedBeanDefinition(name);
		Class<?> type = this.beans.getType(name, false);
		return "%s: %s, scope '%s', role %d%s%s%s%s, depends on %s".formatted(name, typeName(type),
				definition.getScope(), definition.getRole(), definition.isPrimary() ? ", primary" : "",
				definition.isLazyInit() ? ", lazy" : "", definition.isAutowireCandidate() ? "" : ", no candidate",
				((AbstractBeanDefinition) definition).isDefaultCandidate() ? "" : ", no default candidate",
				Arrays.toString(definition.getDependsOn()));
	}

	/** Return the name of a type; generated classes have other names each time. */
	private static String typeName(Class<?> type) {
		if (type == null) {
			return "unknown";
		}
		Class<?> user = ClassUtils.getUserClass(type);
		return (user.isHidden() || user.getName().contains("$Proxy"))
				? Arrays.toString(ClassUtils.getAllInterfacesForClass(user)) : user.getName();
	}

	private List<String> conditions() {
		return ConditionEvaluationReport.get(this.beans)
			.getConditionAndOutcomesBySource()
			.entrySet()
			.stream()
			.filter((entry) -> !entry.getKey().startsWith("io.leasehold.autoconfigure."))
			.map((entry) -> entry.getKey() + ": " + entry.getValue().isFullMatch())
			.sorted()
			.toList();
	}

	private Stream<String> advisors(String name) {
		if (!this.beans.containsSingleton(name) || !(this.beans.getSingleton(name) instanceof Advised advised)) {
			return Stream.empty();
		}
		return Arrays.stream(advised.getAdvisors())
			.map(Advisor::getClass)
			.map(Class::getName)
			.map((advisor) -> name + ": " + advisor);
	}

	/** A bean of the application that is injected by such a type gets a rival. */
	private List<String> foreignTypes() {
		Set<String> foreign = new TreeSet<>();
		Arrays.stream(this.beans.getBeanDefinitionNames())
			.filter(ContextFacts::isOurs)
			.map((name) -> this.beans.getType(name, false))
			.forEach((type) -> addForeign(type, foreign));
		return List.copyOf(foreign);
	}

	private static void addForeign(Class<?> type, Set<String> foreign) {
		if (type == null) {
			return;
		}
		for (Class<?> superType = type; superType != null; superType = superType.getSuperclass()) {
			Stream.concat(Stream.of(superType), Arrays.stream(superType.getInterfaces()))
				.filter((found) -> Modifier.isPublic(found.getModifiers()))
				.map(Class::getName)
				.filter((name) -> !name.startsWith("io.leasehold.") && !name.startsWith("java."))
				.forEach(foreign::add);
		}
		Arrays.stream(type.getInterfaces()).forEach((parent) -> addForeign(parent, foreign));
	}

}
