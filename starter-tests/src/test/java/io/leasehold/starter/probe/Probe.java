package io.leasehold.starter.probe;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

import org.apache.catalina.webresources.TomcatURLStreamHandlerFactory;

import org.springframework.boot.SpringApplication;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.util.ClassUtils;

/**
 * Start of an application in the class loader of this class, with the given properties.
 * Returns facts about its context. Arguments and results are types of the JDK, since the
 * caller has other classes.
 */
public class Probe implements Function<Map<String, Object>, Map<String, List<String>>> {

	@Override
	public Map<String, List<String>> apply(Map<String, Object> properties) {
		if (ClassUtils.isPresent("org.apache.catalina.webresources.TomcatURLStreamHandlerFactory", null)) {
			Tomcat.shareTheJvm();
		}
		SpringApplication application = new SpringApplication(ProbedApplication.class);
		application.setDefaultProperties(properties);
		application.setRegisterShutdownHook(false);
		try (ConfigurableApplicationContext context = application.run()) {
			Map<String, List<String>> facts = new LinkedHashMap<>();
			new ContextFacts(context).addTo(facts);
			facts.put("calls", ProbedCalls.of(context));
			return facts;
		}
	}

	private static final class Tomcat {

		/** A handler of URLs could be installed once per JVM only. */
		static void shareTheJvm() {
			TomcatURLStreamHandlerFactory.disable();
		}

	}

}
