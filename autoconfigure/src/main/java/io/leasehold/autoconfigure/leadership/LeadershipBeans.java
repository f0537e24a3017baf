package io.leasehold.autoconfigure.leadership;

import java.util.Set;

import io.leasehold.leadership.Leadership;
import io.leasehold.leadership.Leaderships;

import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.beans.factory.config.ConstructorArgumentValues;
import org.springframework.beans.factory.config.RuntimeBeanReference;
import org.springframework.beans.factory.support.AutowireCandidateQualifier;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.annotation.ImportBeanDefinitionRegistrar;
import org.springframework.core.env.Environment;
import org.springframework.core.type.AnnotationMetadata;

/**
 * Registrar of a {@link Leadership} bean for each role, with the role as its qualifier.
 */
record LeadershipBeans(Environment environment) implements ImportBeanDefinitionRegistrar {

	static Set<String> roles(Environment environment) {
		return Binder.get(environment)
			.bind("leasehold.leadership.roles", Bindable.setOf(String.class))
			.orElse(Set.of());
	}

	@Override
	public void registerBeanDefinitions(AnnotationMetadata metadata, BeanDefinitionRegistry registry) {
		for (String role : roles(this.environment)) {
			RootBeanDefinition definition = new RootBeanDefinition(LeadershipBeans.class);
			definition.setTargetType(Leadership.class);
			definition.setFactoryMethodName("leadership");
			ConstructorArgumentValues arguments = definition.getConstructorArgumentValues();
			arguments.addIndexedArgumentValue(0, new RuntimeBeanReference(Leaderships.class));
			arguments.addIndexedArgumentValue(1, role);
			definition.addQualifier(new AutowireCandidateQualifier(Qualifier.class, role));
			definition.setDestroyMethodName(""); // the leaderships close it
			registry.registerBeanDefinition("leaseholdLeadership." + role, definition);
		}
	}

	static Leadership leadership(Leaderships leaderships, String role) {
		return leaderships.of(role);
	}

}
