package io.leasehold.starter.probe;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;

import org.springframework.aop.support.AopUtils;
import org.springframework.context.ApplicationContext;
import org.springframework.util.ClassUtils;

/**
 * Outcomes of calls of the application's services.
 */
final class ProbedCalls {

	private ProbedCalls() {
	}

	static List<String> of(ApplicationContext context) {
		List<String> outcomes = new ArrayList<>();
		outcomes.add("async: " + outcome(() -> context.getBean(ProbedApplication.Tasks.class).thread().get()));
		for (Object service : context.getBeansOfType(Callable.class).values()) {
			if (AopUtils.getTargetClass(service).getName().startsWith("io.leasehold.starter.probe.")) {
				Callable<?> callable = (Callable<?>) service;
				String name = AopUtils.getTargetClass(service).getSimpleName();
				outcomes.add(name + ": " + outcome(callable) + ", " + outcome(callable));
			}
		}
		if (ClassUtils.isPresent("reactor.core.publisher.Mono", null)
				&& context.containsBean(ReactiveTransactionalService.class.getName())) {
			Callable<?> reactive = ReactiveTransactionalService
				.blocking(context.getBean(ReactiveTransactionalService.class));
			outcomes.add("ReactiveTransactionalService: " + outcome(reactive));
		}
		return outcomes;
	}

	private static String outcome(Callable<?> call) {
		try {
			return String.valueOf(call.call());
		}
		catch (Exception ex) {
			return ex.getClass().getName();
		}
	}

}
