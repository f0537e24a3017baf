package io.leasehold.autoconfigure.web;

import io.leasehold.autoconfigure.ConditionalOnSwitch;
import io.leasehold.web.LockProblemHandler;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfigureOrder;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication.Type;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.core.Ordered;
import org.springframework.web.bind.annotation.ControllerAdvice;

/**
 * Auto-configuration of responses to HTTP requests whose lock failed.
 */
@AutoConfiguration
@AutoConfigureOrder(Ordered.LOWEST_PRECEDENCE)
@ConditionalOnWebApplication
@ConditionalOnClass(ControllerAdvice.class)
@ConditionalOnSwitch("leasehold.web.problem-details")
@EnableConfigurationProperties(WebProperties.class)
public final class LeaseholdWebAutoConfiguration {

	@Bean
	@ConditionalOnMissingBean(LockProblemHandler.class)
	@ConditionalOnWebApplication(type = Type.SERVLET)
	LockProblemHandler.OfMvc leaseholdLockProblemHandler() {
		return new LockProblemHandler.OfMvc();
	}

	@Bean
	@ConditionalOnMissingBean(LockProblemHandler.class)
	@ConditionalOnWebApplication(type = Type.REACTIVE)
	LockProblemHandler.OfWebFlux leaseholdReactiveLockProblemHandler() {
		return new LockProblemHandler.OfWebFlux();
	}

}
